// Two limits of atc's own memory in a process: the memory of a race (the timing of candidates), and
// the memory of kept plans. A limit can be set by a call. If no call has set a limit, the value of
// an environment variable is used. If the variable is not set, the limit has its default. All
// functions are thread-safe.
#pragma once

#include <cstdint>
#include <optional>

namespace atc {

// The value of a limit that means: atc does not limit the memory.
constexpr std::uint64_t kUnlimitedMemory = ~std::uint64_t{0};

// The number of bytes of device memory (main memory on the CPU) that a race may allocate in
// addition to the memory of the program (ATC_RACE_MEMORY_LIMIT). Empty: the limit is a quarter of
// the memory that is free when the race begins.
std::optional<std::uint64_t> race_memory_limit();
// Sets the limit of the memory of a race. If `bytes` is empty, sets the default limit. Throws
// Error(invalid_argument) if `bytes` is 0.
void set_race_memory_limit(std::optional<std::uint64_t> bytes);

// The number of bytes of host memory that kept plans may take (ATC_PLAN_MEMORY_LIMIT): the default,
// and the limit in use. The plans of the plan cache and the plans that engines keep count together.
constexpr std::uint64_t kDefaultPlanMemory = std::uint64_t{2} << 30;
std::uint64_t plan_memory_limit();
// Sets the limit of the memory of kept plans. Throws Error(invalid_argument) if `bytes` is 0.
void set_plan_memory_limit(std::uint64_t bytes);

// The bytes of the plans that engines keep by themselves, outside of the plan cache. An engine
// calls add_engine_plans with a positive number when it keeps a plan, and with a negative number
// when it destroys a plan. Engines may use at most half of plan_memory_limit(). The plan cache may
// use the rest of this limit.
void add_engine_plans(std::int64_t bytes);
std::uint64_t engine_plan_bytes();

// The values of both limits in the environment. (They are read together, so that both are checked
// before one of the limits is changed.)
struct MemoryLimits {
  // A value is empty if its environment variable is not set.
  std::optional<std::uint64_t> race, plans;
};
// Returns the two memory limits (of races and of kept plans) from the environment. Throws
// Error(invalid_argument) if a value is malformed. The text of the error states the variable and
// its value.
MemoryLimits memory_limits_of_environment();
// Sets the memory limits of races and of kept plans. A limit that is empty in `limits` is not
// changed.
void set_memory_limits(const MemoryLimits& limits);

}  // namespace atc
