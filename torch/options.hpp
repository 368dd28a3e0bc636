// The options of a front end for one convolution.
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
  // ATC_OFF, ATC_ON or ATC_TUNE_*; 0: the switch benchmark_cudnn decides for
  // CUDA; off on the CPU
  std::int32_t tune = 0;
  double budget_seconds = 0;  // 0: libatc's default
  // 0: the switch has the value of the time when the convolution runs. Otherwise this value holds;
  // it is set if the flags of a forward also apply to its backward.
  std::int32_t deterministic = 0;
  std::int32_t allow_tf32 = 0;
  std::uint32_t alignment = 0;  // alignment of the operands on CUDA, in bytes; 0: 16
  // The choices that the caller gave, in the order ATC_FORWARD, _BACKWARD_DATA, _BACKWARD_WEIGHT;
  // "" if none was given.
  std::array<std::string, 3> choices;

  bool measures() const { return tune == ATC_ON; }
  // True if a convolution without a decision is measured, noted for later, explored, or predicted.
  bool tunes() const { return tune >= ATC_ON; }
  const std::string& choice_of(atc_direction direction) const {
    return choices[static_cast<std::size_t>(direction - ATC_FORWARD)];
  }
  bool has_choice() const {
    return std::any_of(choices.begin(), choices.end(),
                       [](const std::string& choice) { return !choice.empty(); });
  }
};

// Converts the caller's options; NULL gives the defaults. Throws Failure, naming the field, for an
// invalid value.
Options to_options(const atc_torch_options* given);

// Returns the options for libatc, with this bridge as the front end and without a choice.
atc_conv_options to_plan_options(const Options& options);

}  // namespace atc_torch
