// Names for the values that LibTorch's functions for its TF32 switches take as arguments. These
// values are texts in LibTorch 2.9 and constants of enumerations in later versions.
#pragma once

#include <ATen/Context.h>

#include "libtorch_version.hpp"

namespace atc_torch {

#if ATC_LIBTORCH_IS_2_9
struct Float32Backend {
  static constexpr const char *GENERIC = "generic", *CUDA = "cuda";
};
struct Float32Op {
  static constexpr const char *ALL = "all", *CONV = "conv", *RNN = "rnn";
};
struct Float32Precision {
  static constexpr const char *NONE = "none", *IEEE = "ieee", *TF32 = "tf32";
};
#else
using at::Float32Backend;
using at::Float32Op;
using at::Float32Precision;
#endif

}  // namespace atc_torch
