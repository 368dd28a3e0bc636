#include "core/post_ops.hpp"

#include <cmath>

#include "core/format.hpp"

namespace atc {

namespace {

// Returns `low` if the value is below `low`, `high` if it is above `high`, else the value. The
// result for NaN is NaN.
template <typename Number>
Number clamped(Number value, Number low, Number high) {
  if (value < low) return low;
  return value > high ? high : value;
}

template <typename Number>
Number gelu_tanh(Number t) {
  constexpr auto kRoot = static_cast<Number>(0.79788456080286535588);  // sqrt(2 / pi)
  constexpr auto kCubic = static_cast<Number>(0.044715);
  return t / 2 * (1 + std::tanh(kRoot * t * (1 + kCubic * t * t)));
}

template <typename Number>
Number activation_of(const Activation& activation, Number t) {
  switch (activation.function) {
    case Function::none:
      return t;
    case Function::relu:
      return t < 0 ? Number{0} : t;
    case Function::clamp:
      return clamped(t, Number{activation.low}, Number{activation.high});
    case Function::silu:
      return t / (1 + std::exp(-t));
    case Function::gelu:
      return t / 2 * (1 + std::erf(t * static_cast<Number>(0.70710678118654752440)));
    case Function::gelu_tanh:
      return gelu_tanh(t);
    case Function::hard_swish:
      return t * clamped<Number>(t + 3, 0, 6) / 6;
    case Function::sigmoid:
      return 1 / (1 + std::exp(-t));
    case Function::leaky_relu:
      return t < 0 ? Number{activation.slope} * t : t;
  }
  return t;
}

}  // namespace

std::string_view name_of(Function function) {
  switch (function) {
    case Function::none:
      return "none";
    case Function::relu:
      return "relu";
    case Function::clamp:
      return "clamp";
    case Function::silu:
      return "silu";
    case Function::gelu:
      return "gelu";
    case Function::gelu_tanh:
      return "gelu-tanh";
    case Function::hard_swish:
      return "hard-swish";
    case Function::sigmoid:
      return "sigmoid";
    case Function::leaky_relu:
      return "leaky-relu";
  }
  return "?";
}

std::string describe(const PostOps& post_ops) {
  std::string text;
  if (post_ops.scale) text += " *scale";
  if (post_ops.residual) text += " +residual";
  const Activation& activation = post_ops.activation;
  if (activation.function != Function::none) text += format(" {}", name_of(activation.function));
  if (activation.function == Function::clamp)
    text += format(" {}:{}", activation.low, activation.high);
  if (activation.function == Function::leaky_relu) text += format(" {}", activation.slope);
  return text;
}

double activated(const Activation& activation, double value) {
  return activation_of(activation, value);
}
float activated(const Activation& activation, float value) {
  return activation_of(activation, value);
}

double steepest(Function function) {
  switch (function) {
    case Function::silu:
      return 1.1;  // the largest slope of SiLU is 1.0998, at 2.40
    case Function::gelu:
    case Function::gelu_tanh:
      return 1.13;  // the largest slope of GELU is 1.1290, at 1.41
    case Function::hard_swish:
      return 1.5;  // the largest slope of hard-swish is at 3
    case Function::sigmoid:
      return 0.25;  // the largest slope of the sigmoid is at 0
    case Function::none:
    case Function::relu:
    case Function::clamp:
    case Function::leaky_relu:
      break;
  }
  return 1;
}

bool keeps_integers(Function function) {
  return function == Function::none || function == Function::relu || function == Function::clamp;
}

}  // namespace atc
