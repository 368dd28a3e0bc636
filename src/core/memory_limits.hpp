// The limits of atc's own memory in a process: that of a race, and that of kept plans. A limit
// comes from a call, else from the environment, else it has its default. All functions are
// thread-safe.
#pragma once

#include <cstdint>
#include <optional>

namespace atc {

// The largest limit: memory is not limited by atc.
constexpr std::uint64_t kUnlimitedMemory = ~std::uint64_t{0};

// The device memory (on the CPU: main memory) in bytes that a race may allocate beyond the memory
// that the program holds. Empty: a quarter of the memory that is free when the race begins
// (ATC_RACE_MEMORY_LIMIT).
std::optional<std::uint64_t> race_memory_limit();
// Throws Error(invalid_argument) if the limit is 0. Empty: the default.
void set_race_memory_limit(std::optional<std::uint64_t> bytes);

// The host memory in bytes that kept plans may take: those of the plan cache and those of engines
// (ATC_PLAN_MEMORY_LIMIT).
constexpr std::uint64_t kDefaultPlanMemory = std::uint64_t{2} << 30;
std::uint64_t plan_memory_limit();
// Throws Error(invalid_argument) if the limit is 0.
void set_plan_memory_limit(std::uint64_t bytes);

// The bytes of plans that engines keep by themselves, beside the plans of the plan cache. An engine
// adds what it keeps, and takes off what it destroys. It keeps at most half of plan_memory_limit();
// the plan cache keeps what the engines leave.
void add_engine_plans(std::int64_t bytes);
std::uint64_t engine_plan_bytes();

// Values of both limits in the environment, checked before either of them is set.
struct MemoryLimits {
  std::optional<std::uint64_t> race, plans;  // empty: the variable is not set
};
// Throws Error(invalid_argument), which names the variable and its value.
MemoryLimits memory_limits_of_environment();
// Replaces the limits that are not empty.
void set_memory_limits(const MemoryLimits& limits);

}  // namespace atc
