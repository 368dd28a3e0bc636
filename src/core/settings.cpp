#include "core/settings.hpp"

#include <array>
#include <atomic>
#include <limits>
#include <mutex>
#include <shared_mutex>
#include <type_traits>
#include <utility>

#include "core/environment.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "core/inside.hpp"
#include "core/known_variables.hpp"
#include "core/log.hpp"
#include "core/memory_limits.hpp"

namespace atc {

namespace {

// A switch: one setting of the process.
struct Switch {
  Setting setting;
  const char* name;
  std::int64_t least, most;
  const char* variable;  // the environment variable; null: there is none
  // The value that the switch gets if its environment variable is malformed. Only set for a switch
  // that could otherwise change results without the user noticing it. If it is empty, a malformed
  // variable is ignored. In both cases one warning is logged.
  std::optional<std::uint64_t> malformed;
  std::int64_t (*get)(const Settings& settings);
  // Sets the switch (one setting) in `settings`. `value` is in the range from `least` to `most`.
  void (*put)(Settings& settings, std::uint64_t value);
};

template <auto kMember>
std::int64_t get(const Settings& settings) {
  return static_cast<std::int64_t>(settings.*kMember);
}

template <auto kMember>
void put(Settings& settings, std::uint64_t value) {
  using Value = std::remove_reference_t<decltype(settings.*kMember)>;
  settings.*kMember = static_cast<Value>(value);
}

void put_workspace_limit(Settings& settings, std::uint64_t value) {
  settings.workspace_limit = workspace_class(value);
}

template <auto kMember>
constexpr Switch number(Setting setting, const char* name, std::int64_t least, std::int64_t most) {
  return {setting, name, least, most, nullptr, std::nullopt, get<kMember>, put<kMember>};
}

template <auto kMember>
constexpr Switch flag(Setting setting, const char* name, const char* variable = nullptr,
                      std::optional<std::uint64_t> malformed = std::nullopt) {
  return {setting, name, 0, 1, variable, malformed, get<kMember>, put<kMember>};
}

constexpr std::array<Switch, 8> kSwitches = {
    {flag<&Settings::benchmark_cudnn>(Setting::benchmark_cudnn, "benchmark_cudnn", "ATC_BENCHMARK"),
     number<&Settings::benchmark_limit_cudnn>(Setting::benchmark_limit_cudnn,
                                              "benchmark_limit_cudnn", 0,
                                              std::numeric_limits<std::int32_t>::max()),
     flag<&Settings::user_enabled_cudnn>(Setting::user_enabled_cudnn, "user_enabled_cudnn"),
     flag<&Settings::deterministic_cudnn>(Setting::deterministic_cudnn, "deterministic_cudnn",
                                          "ATC_DETERMINISTIC", 1),
     number<&Settings::deterministic_algorithms>(Setting::deterministic_algorithms,
                                                 "deterministic_algorithms", 1, 3),
     flag<&Settings::allow_tf32_cudnn>(Setting::allow_tf32_cudnn, "allow_tf32_cudnn"),
     number<&Settings::benchmark_technique>(Setting::benchmark_technique, "benchmark_technique", 1,
                                            5),
     // Every number of bytes is a valid workspace limit, because workspace_class() rounds it.
     {Setting::workspace_limit, "workspace_limit", std::numeric_limits<std::int64_t>::min(),
      std::numeric_limits<std::int64_t>::max(), nullptr, std::nullopt,
      get<&Settings::workspace_limit>, put_workspace_limit}}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kSwitches.size(); ++i)
    if (static_cast<std::size_t>(kSwitches[i].setting) != i + 1) return false;
  return true;
}
static_assert(in_order(), "kSwitches is indexed by Setting");

const Switch& switch_of(Setting setting) {
  return kSwitches[static_cast<std::size_t>(setting) - 1];
}

unsigned bit(Setting setting) { return 1u << static_cast<unsigned>(setting); }

void put(Settings& settings, Setting setting, std::uint64_t value) {
  switch_of(setting).put(settings, value);
}

void validate(Setting setting, std::uint64_t value) {
  const auto index = static_cast<std::int32_t>(setting);
  if (index < 1 || index > static_cast<std::int32_t>(kSwitches.size()))
    fail(Status::invalid_argument, "there is no switch {}", index);
  const Switch& one = switch_of(setting);
  const auto given = static_cast<std::int64_t>(value);
  if (given < one.least || given > one.most)
    fail(Status::invalid_argument, "{} is {}: use {} to {}", one.name, given, one.least, one.most);
}

// A source of settings (such as LibTorch) may keep the values of some switches: the first kSourced
// ones of the enum Setting.
constexpr std::size_t kSourced = 6;
bool may_be_sourced(Setting setting) { return static_cast<std::size_t>(setting) <= kSourced; }

struct State {
  // A thread holds the mutex shared while it calls the source, and exclusively while it sets a
  // switch or the source.
  std::shared_mutex mutex;
  Settings values;         // For a switch that the source keeps: its last known value.
  unsigned explicit_ = 0;  // a bit() for each switch that was set by a call or the environment
  std::shared_ptr<SettingsSource> source;
  std::once_flag environment_read;
  // The number of changes of the settings. A thread whose copy of the settings has the same number
  // need not lock the mutex to read them. Changed only while the mutex is held exclusively.
  std::atomic<std::uint64_t> generation{1};
  std::atomic<bool> sourced{false};

  std::mutex seed_mutex;
  std::optional<std::uint64_t> seed;
};

constexpr const char* kExpectedCalls = "ATC_EXPECTED_CALLS";

State& state() {
  // This static object is never destroyed, because threads may convolve while the process exits.
  static auto* const state = new State;
  return *state;
}

// Returns the value of the switch in the environment. Empty if the variable of the switch is not
// set.
std::optional<std::uint64_t> value_by_environment(const Switch& one) {
  try {
    return environment_flag(one.variable);
  } catch (const Error& error) {
    log_once(LogLevel::warning, one.malformed ? format("{}; {} is {} until then", error.what(),
                                                       one.name, *one.malformed)
                                              : format("ignored: {}", error.what()));
    return one.malformed;
  }
}

void read_environment_once() {
  State& here = state();
  std::call_once(here.environment_read, [&] {
    warn_of_unknown_variables();
    for (const Switch& one : kSwitches) {
      if (one.variable == nullptr) continue;
      const auto value = value_by_environment(one);
      if (!value) continue;
      const std::unique_lock lock(here.mutex);
      one.put(here.values, *value);
      here.explicit_ |= bit(one.setting);
    }
    try {
      if (const auto calls = environment_positive(kExpectedCalls)) {
        const std::unique_lock lock(here.mutex);
        here.values.expected_calls = *calls;
      }
    } catch (const Error& error) {
      log_once(LogLevel::warning, format("ignored: {}", error.what()));
    }
  });
}

// Returns the source's value of a switch, after checking it like a value of the caller. Empty if
// the source does not keep the switch.
std::optional<std::int64_t> ask(SettingsSource& source, Setting setting) {
  const auto value = source.get(setting);
  if (!value) return std::nullopt;
  try {
    validate(setting, static_cast<std::uint64_t>(*value));
  } catch (const Error& error) {
    fail(Status::internal, "the settings source gave a value that no switch has: {}", error.what());
  }
  return value;
}

// Returns the settings `known`, but with the source's values for those switches that the source
// keeps.
Settings asked(SettingsSource& source, Settings known) {
  for (const Switch& one : kSwitches) {
    if (!may_be_sourced(one.setting)) continue;
    if (const auto value = ask(source, one.setting))
      one.put(known, static_cast<std::uint64_t>(*value));
  }
  return known;
}

// Writes switches to a source. The destructor restores the old values unless keep() was called.
class SourceWriter {
 public:
  explicit SourceWriter(SettingsSource& source) : source_(source) {}
  ~SourceWriter() {
    if (kept_) return;
    for (std::size_t i = count_; i-- > 0;) {
      try {
        source_.set(before_[i].first, before_[i].second);
      } catch (...) {
        // An exception of the source is dropped here, because the destructor runs after an earlier
        // exception, which is reported.
      }
    }
  }
  SourceWriter(const SourceWriter&) = delete;
  SourceWriter& operator=(const SourceWriter&) = delete;

  void write(Setting setting, std::int64_t value) {
    const auto before = ask(source_, setting);
    if (before == value || !source_.set(setting, value)) return;
    if (before && count_ < kSourced) before_[count_++] = {setting, *before};
  }
  void keep() { kept_ = true; }

 private:
  SettingsSource& source_;
  std::array<std::pair<Setting, std::int64_t>, kSourced> before_;
  std::size_t count_ = 0;
  bool kept_ = false;
};

// Throws Error(busy) in a callback of the source. The mutex is held while the source is called, so
// waiting for the mutex in the callback would never end.
void require_outside_source() {
  require_outside(Callback::settings_source, "the switches are locked while their source is asked");
}

}  // namespace

// Each call whose plan is cached compares settings. Comparing the members one by one takes about 1
// ns. A loop over kSwitches would be shorter code but take about 30 ns.
bool Settings::operator==(const Settings& other) const {
  return benchmark_cudnn == other.benchmark_cudnn &&
         benchmark_limit_cudnn == other.benchmark_limit_cudnn &&
         user_enabled_cudnn == other.user_enabled_cudnn &&
         deterministic_cudnn == other.deterministic_cudnn &&
         deterministic_algorithms == other.deterministic_algorithms &&
         allow_tf32_cudnn == other.allow_tf32_cudnn &&
         benchmark_technique == other.benchmark_technique &&
         workspace_limit == other.workspace_limit && expected_calls == other.expected_calls;
}

Settings current_settings() {
  require_outside_source();
  struct Copy {
    std::uint64_t generation = 0;
    Settings settings;
  };
  thread_local Copy copy;
  State& here = state();
  if (copy.generation == here.generation.load(std::memory_order_acquire) &&
      !here.sourced.load(std::memory_order_relaxed))
    return copy.settings;
  read_environment_once();
  const std::shared_lock lock(here.mutex);
  if (here.source != nullptr) return asked(*here.source, here.values);
  copy.settings = here.values;
  copy.generation = here.generation.load(std::memory_order_relaxed);
  return copy.settings;
}

void set_settings(const std::vector<SettingValue>& values) {
  require_outside_source();
  for (const auto& [setting, value] : values) validate(setting, value);
  read_environment_once();
  State& here = state();
  const std::unique_lock lock(here.mutex);
  if (here.source != nullptr) {
    SourceWriter writer(*here.source);
    for (const auto& [setting, value] : values)
      if (may_be_sourced(setting)) writer.write(setting, static_cast<std::int64_t>(value));
    writer.keep();
  }
  for (const auto& [setting, value] : values) {
    put(here.values, setting, value);
    here.explicit_ |= bit(setting);
  }
  here.generation.fetch_add(1, std::memory_order_release);
}

void set_setting(Setting setting, std::uint64_t value) { set_settings({{setting, value}}); }

void set_settings_source(std::shared_ptr<SettingsSource> source) {
  require_outside_source();
  read_environment_once();
  State& here = state();
  const std::unique_lock lock(here.mutex);
  Settings values = here.values;
  if (here.source != nullptr) {
    try {
      values = asked(*here.source, values);
    } catch (const Error& error) {
      // The source fails, so its last values are not known. The error is only logged, because it
      // must be possible to replace such a source.
      log(LogLevel::warning, format("the settings source leaves: {}", error.what()));
    }
  }
  if (source != nullptr) {
    SourceWriter writer(*source);
    for (const Switch& one : kSwitches)
      if (may_be_sourced(one.setting) && (here.explicit_ & bit(one.setting)) != 0)
        writer.write(one.setting, one.get(values));
    values = asked(*source, values);
    writer.keep();
  }
  here.values = values;
  here.source.swap(source);
  here.sourced.store(here.source != nullptr, std::memory_order_relaxed);
  here.generation.fetch_add(1, std::memory_order_release);
}

void settings_from_environment() {
  std::vector<SettingValue> values;
  for (const Switch& one : kSwitches) {
    if (one.variable == nullptr) continue;
    if (const auto value = environment_flag(one.variable)) values.push_back({one.setting, *value});
  }
  const auto calls = environment_positive(kExpectedCalls);
  const MemoryLimits memory = memory_limits_of_environment();
  const auto log = environment_log("ATC_LOG");
  const auto path = environment_folders("ATC_LIBRARY_PATH");
  const std::string path_before = library_path();
  if (path && *path != path_before) set_library_path(*path);
  try {
    set_settings(values);
  } catch (...) {
    if (path && *path != path_before) set_library_path(path_before);
    throw;
  }
  set_memory_limits(memory);
  if (calls) {
    State& here = state();
    const std::unique_lock lock(here.mutex);
    here.values.expected_calls = *calls;
    here.generation.fetch_add(1, std::memory_order_release);
  }
  if (log) {
    set_log_level(log->level);
    set_log_format(log->format);
  }
}

bool manual_seed(std::uint64_t seed, bool all_devices) {
  require_outside_source();
  State& here = state();
  bool seeded = false;
  {
    const std::shared_lock lock(here.mutex);
    if (here.source != nullptr) seeded = here.source->manual_seed(seed, all_devices);
  }
  const std::lock_guard lock(here.seed_mutex);
  here.seed = seed;
  return seeded;
}

std::optional<std::uint64_t> last_seed() {
  const std::lock_guard lock(state().seed_mutex);
  return state().seed;
}

bool synchronize_source(std::int32_t index) {
  require_outside_source();
  State& here = state();
  const std::shared_lock lock(here.mutex);
  return here.source != nullptr && here.source->synchronize(index);
}

std::uint64_t workspace_class(std::uint64_t bytes) {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  constexpr std::array<std::uint64_t, 5> kClasses = {4096 * kMiB, 1024 * kMiB, 256 * kMiB,
                                                     32 * kMiB, 0};
  for (const std::uint64_t limit : kClasses)
    if (bytes >= limit) return limit;
  return 0;
}

}  // namespace atc
