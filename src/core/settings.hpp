// The switches of the process. They are kept here, except those that a settings source keeps (a
// bridge registers one). All functions are thread-safe. The first call that needs the environment
// reads it. In a callback of the source, functions that need its lock throw Error(busy).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace atc {

// Defaults equal LibTorch's.
struct Settings {
  bool benchmark_cudnn = false;
  std::int32_t benchmark_limit_cudnn = 10;
  bool user_enabled_cudnn = true;
  bool deterministic_cudnn = false;
  std::int32_t deterministic_algorithms = 1;  // ATC_DETERMINISTIC_ALGORITHMS_*
  bool allow_tf32_cudnn = true;
  std::int32_t benchmark_technique = 4;  // tune::Technique
  std::uint64_t workspace_limit = std::uint64_t{1} << 30;
  // Of the environment alone: the calls in which a decision is expected to be used
  // (docs/adr/0050-expected-benefit.md).
  double expected_calls = 30'000;

  bool wants_deterministic() const { return deterministic_cudnn || deterministic_algorithms != 1; }
  bool operator==(const Settings& other) const;
};

// The first six, which a source may hold, equal ATC_SETTING_* in include/atc/extend.h.
enum class Setting : std::int32_t {
  benchmark_cudnn = 1,
  benchmark_limit_cudnn = 2,
  user_enabled_cudnn = 3,
  deterministic_cudnn = 4,
  deterministic_algorithms = 5,
  allow_tf32_cudnn = 6,
  benchmark_technique = 7,
  workspace_limit = 8,
};

class SettingsSource {
 public:
  virtual ~SettingsSource() = default;
  // nullopt from `get`, false from `set`: the source does not know the switch.
  virtual std::optional<std::int64_t> get(Setting setting) = 0;
  virtual bool set(Setting setting, std::int64_t value) = 0;
  virtual bool manual_seed(std::uint64_t seed, bool all_devices) = 0;
  virtual bool synchronize(std::int32_t index) = 0;
};

struct SettingValue {
  Setting setting;
  std::uint64_t value;  // signed switches: two's complement
};

Settings current_settings();  // takes some nanoseconds where there is no source
// Sets all switches or none. If a value is invalid (Error(invalid_argument)) or the source throws,
// no switch changes.
void set_settings(const std::vector<SettingValue>& values);
void set_setting(Setting setting, std::uint64_t value);
// With null, the switches are kept here again, with the source's last values. When the function
// returns, no thread is in the previous source any more.
void set_settings_source(std::shared_ptr<SettingsSource> source);
// Reads the environment again; its values replace those set by calls. Throws
// Error(invalid_argument), or Error(busy) where ATC_LIBRARY_PATH names another path after libraries
// were looked for; nothing changes then.
void settings_from_environment();

// Remembers the seed and hands it to the source, if any. True if the source seeded its generators.
bool manual_seed(std::uint64_t seed, bool all_devices);
std::optional<std::uint64_t> last_seed();  // of the last manual_seed, if any
// Asks the source to wait for a CUDA device; false: there is no source, or the source cannot wait.
bool synchronize_source(std::int32_t index);

// Directories, separated by ':', where CUDA's libraries are looked for first. Throws Error(busy)
// after settle_library_path().
void set_library_path(const std::string& directories);
std::string library_path();
// Returns the directories and fixes them for the rest of the process. Every search for a library
// calls this first.
std::vector<std::string> settle_library_path();

// The largest class not above `bytes`: 0, 32 MiB, 256 MiB, 1 GiB, 4 GiB.
std::uint64_t workspace_class(std::uint64_t bytes);

}  // namespace atc
