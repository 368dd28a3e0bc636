// The switches of the process. Without a source they live here; with one (a bridge) those it knows
// live there. All functions are thread-safe; the first one that needs it reads the environment. A
// source must not call them.
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

  bool wants_deterministic() const { return deterministic_cudnn || deterministic_algorithms != 1; }
  bool operator==(const Settings& other) const;
};

// Values equal ATC_SETTING_* for those a source may hold.
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
  virtual std::optional<std::int64_t> get(
      Setting setting) = 0;                                   // none: it does not know the switch
  virtual bool set(Setting setting, std::int64_t value) = 0;  // false: it does not know the switch
  virtual bool manual_seed(std::uint64_t seed, bool all_devices) = 0;
  virtual bool synchronize(std::int32_t index) = 0;
};

struct SettingValue {
  Setting setting;
  std::uint64_t value;  // signed switches: two's complement
};

Settings current_settings();  // without a source some nanoseconds
// Validates, then sets, all or nothing; throws Error(invalid_argument), or what the source throws,
// and leaves every switch as it was.
void set_settings(const std::vector<SettingValue>& values);
void set_setting(Setting setting, std::uint64_t value);
void apply_settings(const Settings& settings);
// Grows with every change of a switch: lets a cache see cheaply that nothing changed. A source that
// is written to behind our back is read anew by current_settings(), not by this.
std::uint64_t settings_generation();
bool has_settings_source();
// Null: the switches live here again, with the source's last values. When it returns, the source
// before is not being called any more.
void set_settings_source(std::shared_ptr<SettingsSource> source);
// Re-reads the environment and applies it over explicit calls. Throws Error(invalid_argument), or
// Error(busy) for another library path once libraries were looked for, and changes nothing.
void settings_from_environment();

// True when the source seeded its generators too.
bool manual_seed(std::uint64_t seed, bool all_devices);
std::optional<std::uint64_t> last_seed();  // what was given last; none: never
// Asks the source to wait for a CUDA device; false: there is no source or it does not know how.
bool synchronize_source(std::int32_t index);

// Directories, separated by ':', where CUDA's libraries are looked for first. Error(busy) once they
// were.
void set_library_path(const std::string& directories);
std::string library_path();
// For whoever is about to look for a library: from now on the path stays as it is.
std::vector<std::string> settle_library_path();

// The largest class not above `bytes`: 0, 32 MiB, 256 MiB, 1 GiB, 4 GiB.
std::uint64_t workspace_class(std::uint64_t bytes);

}  // namespace atc
