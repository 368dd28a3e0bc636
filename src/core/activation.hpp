// The activation of a convolution: a function of one number that is applied to each element of the
// output. Host and device share this code, so it uses no more of the standard
// library than integers.
#pragma once

#include <cstdint>

namespace atc {

// The functions of activations. ReLU6 is `clamp` with the limits 0 and 6.
enum class Function : std::int32_t {
  none,
  relu,
  clamp,
  silu,
  gelu,
  gelu_tanh,
  hard_swish,
  sigmoid,
  leaky_relu
};

struct Activation {
  Function function = Function::none;
  float low = 0, high = 0;  // the limits of clamp
  float slope = 0;          // the slope of leaky_relu for negative numbers, from 0 to 1

  bool operator==(const Activation& other) const {
    return function == other.function && low == other.low && high == other.high &&
           slope == other.slope;
  }
};

}  // namespace atc
