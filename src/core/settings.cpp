#include "core/settings.hpp"

#include <array>
#include <atomic>
#include <limits>
#include <mutex>
#include <shared_mutex>

#include "core/environment.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "core/inside.hpp"
#include "core/log.hpp"

namespace atc {

namespace {

constexpr int kSettings = 8;
constexpr int kSourced = 6;  // a source may hold this many, the first ones

constexpr std::array<const char*, kSettings> kNames = {
    "benchmark_cudnn",     "benchmark_limit_cudnn",    "user_enabled_cudnn",
    "deterministic_cudnn", "deterministic_algorithms", "allow_tf32_cudnn",
    "benchmark_technique", "workspace_limit"};

const char* name_of(Setting setting) { return kNames[static_cast<std::size_t>(setting) - 1]; }
unsigned bit(Setting setting) { return 1u << static_cast<unsigned>(setting); }

std::int64_t get(const Settings& settings, Setting setting) {
  switch (setting) {
    case Setting::benchmark_cudnn:
      return settings.benchmark_cudnn;
    case Setting::benchmark_limit_cudnn:
      return settings.benchmark_limit_cudnn;
    case Setting::user_enabled_cudnn:
      return settings.user_enabled_cudnn;
    case Setting::deterministic_cudnn:
      return settings.deterministic_cudnn;
    case Setting::deterministic_algorithms:
      return settings.deterministic_algorithms;
    case Setting::allow_tf32_cudnn:
      return settings.allow_tf32_cudnn;
    case Setting::benchmark_technique:
      return settings.benchmark_technique;
    case Setting::workspace_limit:
      return static_cast<std::int64_t>(settings.workspace_limit);
  }
  return 0;
}

// The value has been validated.
void put(Settings& settings, Setting setting, std::uint64_t value) {
  const bool flag = value != 0;
  const auto number = static_cast<std::int32_t>(value);
  switch (setting) {
    case Setting::benchmark_cudnn:
      settings.benchmark_cudnn = flag;
      break;
    case Setting::benchmark_limit_cudnn:
      settings.benchmark_limit_cudnn = number;
      break;
    case Setting::user_enabled_cudnn:
      settings.user_enabled_cudnn = flag;
      break;
    case Setting::deterministic_cudnn:
      settings.deterministic_cudnn = flag;
      break;
    case Setting::deterministic_algorithms:
      settings.deterministic_algorithms = number;
      break;
    case Setting::allow_tf32_cudnn:
      settings.allow_tf32_cudnn = flag;
      break;
    case Setting::benchmark_technique:
      settings.benchmark_technique = number;
      break;
    case Setting::workspace_limit:
      settings.workspace_limit = workspace_class(value);
      break;
  }
}

void check_range(Setting setting, std::uint64_t value, std::int64_t least, std::int64_t most) {
  const auto number = static_cast<std::int64_t>(value);
  if (number < least || number > most)
    fail(Status::invalid_argument, "{} is {}: use {} to {}", name_of(setting), number, least, most);
}

void validate(Setting setting, std::uint64_t value) {
  switch (setting) {
    case Setting::benchmark_cudnn:
    case Setting::user_enabled_cudnn:
    case Setting::deterministic_cudnn:
    case Setting::allow_tf32_cudnn:
      return check_range(setting, value, 0, 1);
    case Setting::benchmark_limit_cudnn:
      return check_range(setting, value, 0, std::numeric_limits<std::int32_t>::max());
    case Setting::deterministic_algorithms:
      return check_range(setting, value, 1, 3);
    case Setting::benchmark_technique:
      return check_range(setting, value, 1, 5);
    case Setting::workspace_limit:
      return;  // any number has a class
  }
  fail(Status::invalid_argument, "there is no switch {}", static_cast<int>(setting));
}

struct State {
  // Held shared while a source is called, exclusively while anything is set.
  std::shared_mutex mutex;
  Settings values;         // of a switch that the source holds, the value known last
  unsigned explicit_ = 0;  // bit() of each switch that a call or the environment set
  std::shared_ptr<SettingsSource> source;
  std::once_flag environment_read;
  // Written with the mutex held exclusively; read without it.
  std::atomic<std::uint64_t> generation{1};
  std::atomic<bool> sourced{false};

  std::mutex seed_mutex;
  std::optional<std::uint64_t> seed;
};

State& state() {
  static auto* const state = new State;  // never destroyed: threads may convolve during exit
  return *state;
}

struct EnvironmentSwitch {
  const char* variable;
  Setting setting;
};
constexpr std::array<EnvironmentSwitch, 2> kEnvironment = {
    {{"ATC_BENCHMARK", Setting::benchmark_cudnn},
     {"ATC_DETERMINISTIC", Setting::deterministic_cudnn}}};

void read_environment_once() {
  State& here = state();
  std::call_once(here.environment_read, [&] {
    for (const auto& [variable, setting] : kEnvironment) {
      try {
        const auto value = environment_flag(variable);
        if (!value) continue;
        const std::unique_lock lock(here.mutex);
        put(here.values, setting, *value);
        here.explicit_ |= bit(setting);
      } catch (const Error& error) {
        log_once(LogLevel::warning, format("ignored: {}", error.what()));
      }
    }
  });
}

// The source's value of a switch, validated like a caller's; nullopt if the source lacks the
// switch.
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

// `known`, with the source's value of each switch that the source holds.
Settings asked(SettingsSource& source, Settings known) {
  for (int i = 1; i <= kSourced; ++i) {
    const auto setting = static_cast<Setting>(i);
    if (const auto value = ask(source, setting))
      put(known, setting, static_cast<std::uint64_t>(*value));
  }
  return known;
}

// Writes switches to a source, and restores the old values unless keep() is called.
class SourceWriter {
 public:
  explicit SourceWriter(SettingsSource& source) : source_(source) {}
  ~SourceWriter() {
    if (kept_) return;
    for (int i = count_ - 1; i >= 0; --i) {
      try {
        source_.set(before_[i].first, before_[i].second);
      } catch (...) {  // the exception under way is the one to report
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
  int count_ = 0;
  bool kept_ = false;
};

// The mutex is held while the source is asked: its callbacks must not wait for it.
void require_outside_source() {
  require_outside(Callback::settings_source, "the switches are locked while their source is asked");
}

bool may_be_sourced(Setting setting) { return static_cast<int>(setting) <= kSourced; }

}  // namespace

bool Settings::operator==(const Settings& other) const {
  return benchmark_cudnn == other.benchmark_cudnn &&
         benchmark_limit_cudnn == other.benchmark_limit_cudnn &&
         user_enabled_cudnn == other.user_enabled_cudnn &&
         deterministic_cudnn == other.deterministic_cudnn &&
         deterministic_algorithms == other.deterministic_algorithms &&
         allow_tf32_cudnn == other.allow_tf32_cudnn &&
         benchmark_technique == other.benchmark_technique &&
         workspace_limit == other.workspace_limit;
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

void apply_settings(const Settings& settings) {
  std::vector<SettingValue> values;
  for (int i = 1; i <= kSettings; ++i) {
    const auto setting = static_cast<Setting>(i);
    values.push_back({setting, static_cast<std::uint64_t>(get(settings, setting))});
  }
  set_settings(values);
}

std::uint64_t settings_generation() { return state().generation.load(std::memory_order_acquire); }

bool has_settings_source() { return state().sourced.load(std::memory_order_acquire); }

void set_settings_source(std::shared_ptr<SettingsSource> source) {
  require_outside_source();
  read_environment_once();
  State& here = state();
  const std::unique_lock lock(here.mutex);
  Settings values = here.values;
  if (here.source != nullptr) {
    try {
      values = asked(*here.source, values);
    } catch (const Error& error) {  // a broken source must still be removable
      log(LogLevel::warning, format("the settings source leaves: {}", error.what()));
    }
  }
  if (source != nullptr) {
    SourceWriter writer(*source);
    for (int i = 1; i <= kSourced; ++i) {
      const auto setting = static_cast<Setting>(i);
      if ((here.explicit_ & bit(setting)) != 0) writer.write(setting, get(values, setting));
    }
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
  for (const auto& [variable, setting] : kEnvironment)
    if (const auto value = environment_flag(variable)) values.push_back({setting, *value});
  const auto level = environment_log_level("ATC_LOG");
  const auto path = environment_text("ATC_LIBRARY_PATH");
  const std::string path_before = library_path();
  if (path && *path != path_before) set_library_path(*path);
  try {
    set_settings(values);
  } catch (...) {
    if (path && *path != path_before) set_library_path(path_before);
    throw;
  }
  if (level) set_log_level(*level);
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
