// The options with which the bridge runs one convolution.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "atc/torch.h"
#include "switches.hpp"

namespace atc_torch {

struct Options : Switches {
  // ATC_OFF, ATC_ON or ATC_TUNE_*. 0 means: LibTorch's switch benchmark_cudnn decides on CUDA, and
  // tuning is off on the CPU.
  std::int32_t tune = 0;
  double budget_seconds = 0;  // 0: libatc's default
  // `deterministic` and `allow_tf32` are ATC_OFF, ATC_ON or 0. 0 means: the value of LibTorch's
  // switch at the time when the convolution runs. They are not 0 if the gradients must be computed
  // with the same values as the forward convolution.
  std::int32_t deterministic = 0;
  std::int32_t allow_tf32 = 0;
  // the alignment of the operands on CUDA, in bytes; 0 stands for 16 bytes
  std::uint32_t alignment = 0;
  // The implementations that the caller prescribes ("engine@version:configuration"), one for each
  // direction, in the order ATC_FORWARD, ATC_BACKWARD_DATA, ATC_BACKWARD_WEIGHT. "" stands for
  // none.
  std::array<std::string, 3> choices;

  bool measures() const { return tune == ATC_ON; }
  // True if some kind of tuning is on: a convolution without a decision is measured at once, noted
  // for later, measured during its own calls, or decided by a prediction.
  bool tunes() const { return tune >= ATC_ON; }
  const std::string& choice_of(atc_direction direction) const {
    return choices[static_cast<std::size_t>(direction - ATC_FORWARD)];
  }
  bool has_choice() const {
    return std::any_of(choices.begin(), choices.end(),
                       [](const std::string& choice) { return !choice.empty(); });
  }
};

// Converts the options of the caller. NULL stands for the defaults. Throws Failure if a value is
// invalid. The text of the Failure names the field.
Options to_options(const atc_torch_options* given);

// Returns the options for libatc. Their `front_end` is "aten", the name of the bridge's engine. The
// choices are not copied.
atc_conv_options to_plan_options(const Options& options);

}  // namespace atc_torch
