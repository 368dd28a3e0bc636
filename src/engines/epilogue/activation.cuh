// The activations of core/activation.hpp on a CUDA device, in fp32 and in double precision.
// core/post_ops.cpp has the same functions for the host, and tests compare the results of both.
#pragma once

#include "core/activation.hpp"

namespace atc {

// Returns `low` if the value is below `low`, `high` if it is above `high`, else the value. The
// result for NaN is NaN.
template <typename Number>
__device__ inline Number clamped(Number value, Number low, Number high) {
  if (value < low) return low;
  return value > high ? high : value;
}

template <typename Number>
__device__ inline Number gelu_tanh(Number t) {
  constexpr auto kRoot = static_cast<Number>(0.79788456080286535588);  // sqrt(2 / pi)
  constexpr auto kCubic = static_cast<Number>(0.044715);
  return t / 2 * (1 + tanh(kRoot * t * (1 + kCubic * t * t)));
}

// Returns the activation of a number. The activation of NaN is NaN.
template <typename Number>
__device__ inline Number activated(const Activation& activation, Number t) {
  switch (activation.function) {
    case Function::none:
      return t;
    case Function::relu:
      return t < 0 ? Number{0} : t;
    case Function::clamp:
      return clamped(t, Number{activation.low}, Number{activation.high});
    case Function::silu:
      return t / (1 + exp(-t));
    case Function::gelu:
      return t / 2 * (1 + erf(t * static_cast<Number>(0.70710678118654752440)));
    case Function::gelu_tanh:
      return gelu_tanh(t);
    case Function::hard_swish:
      return t * clamped<Number>(t + 3, 0, 6) / 6;
    case Function::sigmoid:
      return 1 / (1 + exp(-t));
    case Function::leaky_relu:
      return t < 0 ? Number{activation.slope} * t : t;
  }
  return t;
}

}  // namespace atc
