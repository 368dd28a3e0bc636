// The switches: the settings of the process. A settings source (registered by a bridge to another
// library, such as LibTorch) may keep the values of some switches. The process keeps the values of
// all other switches itself. All functions are thread-safe. The first call that needs the
// environment reads it. The switches are locked while the source is called. So most of these
// functions throw Error(busy) if the source calls them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace atc {

// The values of all switches. If LibTorch has the same switch, the default equals LibTorch's.
struct Settings {
  bool benchmark_cudnn = false;
  std::int32_t benchmark_limit_cudnn = 10;
  bool user_enabled_cudnn = true;
  bool deterministic_cudnn = false;
  std::int32_t deterministic_algorithms = 1;  // one of ATC_DETERMINISTIC_ALGORITHMS_*
  bool allow_tf32_cudnn = true;
  // the technique of timing, as the value of a tune::Technique
  std::int32_t benchmark_technique = 4;
  // The most bytes of workspace that a candidate may use.
  std::uint64_t workspace_limit = std::uint64_t{1} << 30;
  // The number of calls in which a decision is expected to be used. It can only be set by the
  // environment (docs/adr/0050-expected-benefit.md).
  double expected_calls = 30'000;

  bool wants_deterministic() const { return deterministic_cudnn || deterministic_algorithms != 1; }
  bool operator==(const Settings& other) const;
};

// The switches. The first six values equal ATC_SETTING_* in include/atc/extend.h. A settings source
// may keep these six.
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
  // `get` returns the value of a switch (one setting), and `set` changes the value. If the source
  // does not keep this switch, `get` returns nullopt and `set` returns false.
  virtual std::optional<std::int64_t> get(Setting setting) = 0;
  virtual bool set(Setting setting, std::int64_t value) = 0;
  virtual bool manual_seed(std::uint64_t seed, bool all_devices) = 0;
  virtual bool synchronize(std::int32_t index) = 0;
};

struct SettingValue {
  Setting setting;
  std::uint64_t value;  // the new value of the switch; a signed value is in two's complement
};

// Returns the values of all switches. Takes some nanoseconds if there is no settings source.
Settings current_settings();
// Sets the switches (settings of the process) in `values`. If a value is invalid,
// Error(invalid_argument) is thrown. If a value is invalid or the settings source throws, no switch
// changes.
void set_settings(const std::vector<SettingValue>& values);
void set_setting(Setting setting, std::uint64_t value);
// Sets the settings source. If `source` is null, the process keeps all switches itself from now on,
// with the last values of the former source. When this function returns, no thread is in a callback
// of the former source.
void set_settings_source(std::shared_ptr<SettingsSource> source);
// Reads the environment variables again. Their values replace values that calls have set. Throws
// Error(invalid_argument) if a value is malformed. Throws Error(busy) if ATC_LIBRARY_PATH has
// changed after libraries were searched for. In both cases no setting changes.
void settings_from_environment();

// Remembers the seed, and passes it to the settings source (such as LibTorch) if there is one.
// Returns true if the source has seeded its random generators.
bool manual_seed(std::uint64_t seed, bool all_devices);
// The seed of the last call of manual_seed; empty if there was none.
std::optional<std::uint64_t> last_seed();
// Asks the settings source (such as LibTorch) to wait for a CUDA device. Returns false if there is
// no source, or if the source cannot wait.
bool synchronize_source(std::int32_t index);

// Sets the directories, separated by ':', in which the libraries of CUDA are searched for first.
// Throws Error(busy) after settle_library_path().
void set_library_path(const std::string& directories);
std::string library_path();
// Returns the directories that set_library_path() has set. From now on set_library_path() cannot
// change them. Every search for a library calls this function first.
std::vector<std::string> settle_library_path();

// Rounds a limit of workspace, in bytes, down to one of the sizes 0, 32 MiB, 256 MiB, 1 GiB and 4
// GiB.
std::uint64_t workspace_class(std::uint64_t bytes);

}  // namespace atc
