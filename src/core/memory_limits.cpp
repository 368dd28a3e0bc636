#include "core/memory_limits.hpp"

#include <atomic>
#include <mutex>

#include "core/environment.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "core/log.hpp"

namespace atc {

namespace {

constexpr const char* kRaceVariable = "ATC_RACE_MEMORY_LIMIT";
constexpr const char* kPlanVariable = "ATC_PLAN_MEMORY_LIMIT";

struct State {
  std::once_flag environment_read;
  std::atomic<std::uint64_t> race{0};  // 0: the default limit
  std::atomic<std::uint64_t> plans{kDefaultPlanMemory};
  std::atomic<std::int64_t> of_engines{0};
};

State& state() {
  // This static object is never destroyed, because threads may convolve while the process exits.
  static auto* const state = new State;
  return *state;
}

// Returns the limit in an environment variable. A malformed value is ignored, and one warning is
// logged.
std::optional<std::uint64_t> limit_or_warning(const char* variable) {
  try {
    return environment_bytes(variable);
  } catch (const Error& error) {
    log_once(LogLevel::warning, format("ignored: {}", error.what()));
    return std::nullopt;
  }
}

State& read_environment_once() {
  State& here = state();
  std::call_once(here.environment_read, [] {
    set_memory_limits({limit_or_warning(kRaceVariable), limit_or_warning(kPlanVariable)});
  });
  return here;
}

}  // namespace

std::optional<std::uint64_t> race_memory_limit() {
  const std::uint64_t limit = read_environment_once().race.load(std::memory_order_relaxed);
  return limit == 0 ? std::nullopt : std::optional(limit);
}

void set_race_memory_limit(std::optional<std::uint64_t> bytes) {
  if (bytes == 0)
    fail(Status::invalid_argument,
         "race_memory_limit is 0: a race needs memory; use a number of bytes, or turn tuning off");
  read_environment_once().race.store(bytes.value_or(0), std::memory_order_relaxed);
}

std::uint64_t plan_memory_limit() {
  return read_environment_once().plans.load(std::memory_order_relaxed);
}

void set_plan_memory_limit(std::uint64_t bytes) {
  if (bytes == 0)
    fail(Status::invalid_argument,
         "plan_memory_limit is 0: plans need memory; use a number of bytes (the default is {})",
         kDefaultPlanMemory);
  read_environment_once().plans.store(bytes, std::memory_order_relaxed);
}

void add_engine_plans(std::int64_t bytes) {
  state().of_engines.fetch_add(bytes, std::memory_order_relaxed);
}

std::uint64_t engine_plan_bytes() {
  return static_cast<std::uint64_t>(state().of_engines.load(std::memory_order_relaxed));
}

MemoryLimits memory_limits_of_environment() {
  return {environment_bytes(kRaceVariable), environment_bytes(kPlanVariable)};
}

void set_memory_limits(const MemoryLimits& limits) {
  State& here = state();
  if (limits.race) here.race.store(*limits.race, std::memory_order_relaxed);
  if (limits.plans) here.plans.store(*limits.plans, std::memory_order_relaxed);
}

}  // namespace atc
