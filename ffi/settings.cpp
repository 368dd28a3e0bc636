#include "atc/settings.h"

#include <cstring>
#include <string>

#include "conv/pins/pins_in_use.hpp"
#include "convert.hpp"
#include "core/environment.hpp"
#include "core/memory_limits.hpp"
#include "core/settings.hpp"
#include "guard.hpp"
#include "store/in_use.hpp"

namespace {

using namespace atc;
using namespace atc::ffi;

static_assert(static_cast<int>(tune::Technique::once) == ATC_TECHNIQUE_ONCE);
static_assert(static_cast<int>(tune::Technique::median_of_three) == ATC_TECHNIQUE_MEDIAN_OF_THREE);
static_assert(static_cast<int>(tune::Technique::till_stable) == ATC_TECHNIQUE_TILL_STABLE);
static_assert(static_cast<int>(tune::Technique::interleaved) == ATC_TECHNIQUE_INTERLEAVED);
static_assert(static_cast<int>(tune::Technique::sustained) == ATC_TECHNIQUE_SUSTAINED);

// Converts a switch to 64 bits by sign extension. So if the value is refused, the text of the error
// shows a negative value as negative.
std::uint64_t widen(std::int32_t value) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
}

// Converts a limit of an options struct to bytes. ATC_NONE is a limit of zero bytes.
std::uint64_t to_bytes(std::uint64_t limit) { return limit == ATC_NONE ? 0 : limit; }

atc_status set(Setting setting, std::int32_t value) noexcept {
  return guard([&] { set_setting(setting, widen(value)); });
}

template <typename Out, typename Value>
atc_status get(Out* out, Value Settings::*member) noexcept {
  return guard([&] {
    Out& target = required(out, "out");
    target = static_cast<Out>(current_settings().*member);
  });
}

std::vector<SettingValue> to_values(const atc_settings& given) {
  return {{Setting::benchmark_cudnn, widen(given.benchmark_cudnn)},
          {Setting::benchmark_limit_cudnn, widen(given.benchmark_limit_cudnn)},
          {Setting::user_enabled_cudnn, widen(given.user_enabled_cudnn)},
          {Setting::deterministic_cudnn, widen(given.deterministic_cudnn)},
          {Setting::deterministic_algorithms, widen(given.deterministic_algorithms)},
          {Setting::allow_tf32_cudnn, widen(given.allow_tf32_cudnn)},
          {Setting::benchmark_technique, widen(given.benchmark_technique)},
          {Setting::workspace_limit, to_bytes(given.workspace_limit)}};
}

void add(atc_reproducible_report& report, std::uint32_t flag, const char* line) {
  report.missing |= flag;
  const std::size_t used = std::strlen(report.text);
  std::strncat(report.text, line, sizeof(report.text) - used - 1);
}

atc_reproducible_report report_missing(bool cuda_seeded) {
  atc_reproducible_report report{};
  if (!cuda_seeded)
    add(report, ATC_REPRODUCIBLE_NO_CUDA_SEED,
        "no CUDA generator is known to atc: seed your framework's own\n");
  const auto store = store::in_use();
  if (store != nullptr && store->mode() == store::Mode::read_write)
    add(report, ATC_REPRODUCIBLE_OPEN_SELECTION,
        "the store in use may learn new choices: use it replay-only\n");
  if (!is_set_for_libraries("CUBLAS_WORKSPACE_CONFIG"))
    add(report, ATC_REPRODUCIBLE_CUBLAS_WORKSPACE,
        "CUBLAS_WORKSPACE_CONFIG is not set: start the program with :4096:8\n");
  if (!is_set_for_libraries("OMP_NUM_THREADS"))
    add(report, ATC_REPRODUCIBLE_CPU_THREADS,
        "OMP_NUM_THREADS is not set: sums depend on the number of cores\n");
  return report;
}

}  // namespace

extern "C" {

atc_status atc_set_benchmark_cudnn(int32_t enabled) noexcept {
  return set(Setting::benchmark_cudnn, enabled);
}
atc_status atc_get_benchmark_cudnn(int32_t* out) noexcept {
  return get(out, &Settings::benchmark_cudnn);
}

atc_status atc_set_benchmark_limit_cudnn(int32_t limit) noexcept {
  return set(Setting::benchmark_limit_cudnn, limit);
}
atc_status atc_get_benchmark_limit_cudnn(int32_t* out) noexcept {
  return get(out, &Settings::benchmark_limit_cudnn);
}

atc_status atc_set_user_enabled_cudnn(int32_t enabled) noexcept {
  return set(Setting::user_enabled_cudnn, enabled);
}
atc_status atc_get_user_enabled_cudnn(int32_t* out) noexcept {
  return get(out, &Settings::user_enabled_cudnn);
}

atc_status atc_set_deterministic_cudnn(int32_t enabled) noexcept {
  return set(Setting::deterministic_cudnn, enabled);
}
atc_status atc_get_deterministic_cudnn(int32_t* out) noexcept {
  return get(out, &Settings::deterministic_cudnn);
}

atc_status atc_set_deterministic_algorithms(int32_t mode) noexcept {
  return set(Setting::deterministic_algorithms, mode);
}
atc_status atc_get_deterministic_algorithms(int32_t* out) noexcept {
  return get(out, &Settings::deterministic_algorithms);
}

atc_status atc_set_allow_tf32_cudnn(int32_t enabled) noexcept {
  return set(Setting::allow_tf32_cudnn, enabled);
}
atc_status atc_get_allow_tf32_cudnn(int32_t* out) noexcept {
  return get(out, &Settings::allow_tf32_cudnn);
}

atc_status atc_set_benchmark_technique(atc_technique technique) noexcept {
  return set(Setting::benchmark_technique, technique);
}
atc_status atc_get_benchmark_technique(atc_technique* out) noexcept {
  return get(out, &Settings::benchmark_technique);
}

atc_status atc_set_workspace_limit(uint64_t bytes) noexcept {
  return guard([&] { set_setting(Setting::workspace_limit, to_bytes(bytes)); });
}
atc_status atc_get_workspace_limit(uint64_t* out) noexcept {
  return get(out, &Settings::workspace_limit);
}

atc_status atc_set_race_memory_limit(uint64_t bytes) noexcept {
  return guard([&] {
    if (bytes == ATC_AUTOMATIC)
      set_race_memory_limit(std::nullopt);
    else
      set_race_memory_limit(to_bytes(bytes));
  });
}
atc_status atc_get_race_memory_limit(uint64_t* out) noexcept {
  return guard([&] { required(out, "out") = race_memory_limit().value_or(ATC_AUTOMATIC); });
}

atc_status atc_set_plan_memory_limit(uint64_t bytes) noexcept {
  return guard([&] { set_plan_memory_limit(to_bytes(bytes)); });
}
atc_status atc_get_plan_memory_limit(uint64_t* out) noexcept {
  return guard([&] { required(out, "out") = plan_memory_limit(); });
}

atc_status atc_set_library_path(const char* directories) noexcept {
  return guard([&] { set_library_path(directories == nullptr ? "" : directories); });
}

atc_status atc_get_library_path(const char** out) noexcept {
  return guard([&] {
    const char*& target = required(out, "out");
    thread_local std::string path;
    path = library_path();
    target = path.c_str();
  });
}

atc_status atc_set_pins(const char* file) noexcept {
  return guard([&] { conv::use_pin_file(file == nullptr ? "" : file); });
}

atc_status atc_get_pins(const char** out) noexcept {
  return guard([&] {
    const char*& target = required(out, "out");
    thread_local std::string path;
    const auto pins = conv::pins_in_use();
    path = pins == nullptr ? "" : pins->path;
    target = path.c_str();
  });
}

atc_status atc_get_pins_hash(uint64_t* out) noexcept {
  return guard([&] {
    uint64_t& target = required(out, "out");
    const auto pins = conv::pins_in_use();
    target = pins == nullptr ? 0 : pins->hash;
  });
}

atc_status atc_settings_get(atc_settings* out) noexcept {
  return guard([&] {
    required(out, "out");
    const Settings known = current_settings();
    atc_settings settings{};
    settings.benchmark_cudnn = known.benchmark_cudnn;
    settings.benchmark_limit_cudnn = known.benchmark_limit_cudnn;
    settings.user_enabled_cudnn = known.user_enabled_cudnn;
    settings.deterministic_cudnn = known.deterministic_cudnn;
    settings.deterministic_algorithms = known.deterministic_algorithms;
    settings.allow_tf32_cudnn = known.allow_tf32_cudnn;
    settings.benchmark_technique = known.benchmark_technique;
    settings.workspace_limit = known.workspace_limit;
    write_struct(out, settings, "out");
  });
}

atc_status atc_settings_apply(const atc_settings* settings) noexcept {
  return guard([&] { set_settings(to_values(read_struct(settings, "settings"))); });
}

atc_status atc_settings_from_env(void) noexcept {
  return guard([] {
    // The store and the pins are read first, and then the settings. So if one of these steps
    // throws, no setting, pin or store in use has changed yet.
    auto store = store::open_from_environment();
    auto pins = conv::pins_from_environment();
    settings_from_environment();
    if (pins != nullptr) conv::use_pins(std::move(pins));
    if (store == nullptr) return;
    store::use(std::move(store));
  });
}

atc_status atc_set_reproducible(atc_reproducible_report* out, uint64_t seed) noexcept {
  return guard([&] {
    // The size of `out` is checked first, so that a wrong size is refused before any switch has
    // changed.
    if (out != nullptr) check_struct(out, known_struct<atc_reproducible_report>(), "out");
    set_settings({{Setting::deterministic_cudnn, 1},
                  {Setting::deterministic_algorithms, ATC_DETERMINISTIC_ALGORITHMS_ERROR},
                  {Setting::benchmark_cudnn, 0}});
    const bool cuda_seeded = manual_seed(seed, true);
    if (out != nullptr) write_struct(out, report_missing(cuda_seeded), "out");
  });
}

}  // extern "C"
