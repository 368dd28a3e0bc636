// Counts how many convolutions atc ran, and how many it left to LibTorch for each reason.
#pragma once

#include <cstdint>

#include "atc/torch.h"

namespace atc_torch {

// The reason why a convolution was left to LibTorch. The values are those of ATC_TORCH_PASSED_*.
enum class Reason : std::int32_t {
  nothing_known = 0,
  chosen = 1,
  device = 2,
  dtype = 3,
  layout = 4,
  shape = 5,
  failed = 6,
  not_recorded = 7,
};

void count_taken() noexcept;
void count_passed(Reason reason) noexcept;
atc_torch_statistics statistics() noexcept;
void reset_statistics() noexcept;

}  // namespace atc_torch
