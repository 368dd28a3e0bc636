#include "switches.hpp"

#include <utility>

namespace soak {

Switches::Switches(Report& report, std::vector<std::string> pin_files, bool on_cuda)
    : report_(report),
      pin_files_(std::move(pin_files)),
      on_cuda_(on_cuda),
      first_(ATC_SIZED(atc_settings)) {
  report_.done(atc_settings_get(&first_), "atc_settings_get", "the first values");
  report_.done(atc_set_pins(pin_files_.front().c_str()), "atc_set_pins", pin_files_.front());
}

void Switches::toggle(Random& random) const {
  const std::size_t value = random.below(20);
  const auto flag = static_cast<std::int32_t>(value % 2);
  const auto set = [&](atc_status status, const char* call) {
    report_.done(status, call, std::to_string(value));
  };
  // On CUDA only two switches and the seed are changed. For each combination of the values of
  // further switches cuDNN would build all plans once more. benchmark_cudnn stays off, because an
  // eager call would then run a race of several seconds.
  switch (random.below(on_cuda_ ? 3 : 10)) {
    case 0:
      set(atc_set_deterministic_cudnn(flag), "atc_set_deterministic_cudnn");
      break;
    case 1:
      set(atc_set_allow_tf32_cudnn(flag), "atc_set_allow_tf32_cudnn");
      break;
    case 2:
      set(atc_manual_seed(value), "atc_manual_seed");
      break;
    case 3:
      set(atc_set_benchmark_cudnn(flag), "atc_set_benchmark_cudnn");
      break;
    case 4:
      set(atc_set_benchmark_limit_cudnn(static_cast<std::int32_t>(value)),
          "atc_set_benchmark_limit_cudnn");
      break;
    case 5:
      set(atc_set_user_enabled_cudnn(flag), "atc_set_user_enabled_cudnn");
      break;
    case 6:
      set(atc_set_deterministic_algorithms(static_cast<std::int32_t>(1 + value % 3)),
          "atc_set_deterministic_algorithms");
      break;
    case 7:
      set(atc_set_benchmark_technique(static_cast<atc_technique>(1 + value % 5)),
          "atc_set_benchmark_technique");
      break;
    case 8:
      set(atc_set_workspace_limit(static_cast<std::uint64_t>(value) << 27),
          "atc_set_workspace_limit");
      break;
    default: {
      const std::string& file = pin_files_[value % pin_files_.size()];
      report_.done(atc_set_pins(file.c_str()), "atc_set_pins", file);
    }
  }
  report_.count(Kind::toggle);
}

void Switches::restore() const {
  report_.done(atc_settings_apply(&first_), "atc_settings_apply", "the first values");
  report_.done(atc_set_pins(pin_files_.front().c_str()), "atc_set_pins", pin_files_.front());
  report_.count(Kind::restoration);
}

}  // namespace soak
