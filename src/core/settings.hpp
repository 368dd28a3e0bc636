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
  // The number of calls in which a decision is expected to be used. Only the environment sets it
  // (docs/adr/0050-expected-benefit.md).
  double expected_calls = 30'000;

  bool wants_deterministic() const { return deterministic_cudnn || deterministic_algorithms != 1; }
  bool operator==(const Settings& other) const;
};

// The values of the first six equal ATC_SETTING_* in include/atc/extend.h. A source may keep these
// six.
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
  // If the source does not know the switch, `get` returns nullopt and `set` returns false.
  virtual std::optional<std::int64_t> get(Setting setting) = 0;
  virtual bool set(Setting setting, std::int64_t value) = 0;
  virtual bool manual_seed(std::uint64_t seed, bool all_devices) = 0;
  virtual bool synchronize(std::int32_t index) = 0;
};

struct SettingValue {
  Setting setting;
  std::uint64_t value;  // signed switches: two's complement
};

Settings current_settings();  // reads all switches. This takes some nanoseconds if there is no
                              // source of settings
// Sets all of these switches or none of them. If a value is invalid (Error(invalid_argument)) or
// the source throws, no switch changes.
void set_settings(const std::vector<SettingValue>& values);
void set_setting(Setting setting, std::uint64_t value);
// If `source` is null, the process keeps the switches itself again, and they have the last values
// of the former source. When the function returns, no thread is in the former source any more.
void set_settings_source(std::shared_ptr<SettingsSource> source);
// Reads the environment again. Its values replace those that calls have set. Throws
// Error(invalid_argument) for a malformed value, and Error(busy) if ATC_LIBRARY_PATH names another
// path after libraries were looked for; in both cases nothing changes.
void settings_from_environment();

// Remembers the seed, and passes it to the source, if there is one. Returns true if the source
// seeded its generators.
bool manual_seed(std::uint64_t seed, bool all_devices);
std::optional<std::uint64_t> last_seed();  // the seed of the last manual_seed, if there was one
// Asks the source to wait for a CUDA device. Returns false if there is no source, or if the source
// cannot wait.
bool synchronize_source(std::int32_t index);

// Sets the directories, separated by ':', in which CUDA's libraries are looked for first. Throws
// Error(busy) after settle_library_path().
void set_library_path(const std::string& directories);
std::string library_path();
// Returns the directories and fixes them for the rest of the process. Every search for a library
// calls this first.
std::vector<std::string> settle_library_path();

// Returns the largest class that is not above `bytes`: 0, 32 MiB, 256 MiB, 1 GiB or 4 GiB.
std::uint64_t workspace_class(std::uint64_t bytes);

}  // namespace atc
