// The ending of a convolution, applied to its sum before it is rounded to the output's type:
//
//   activation(scale[k] * sum + bias[k] + residual[n, k, o])
//
// The bias belongs to Problem::epilogue. A problem whose ending is only a ReLU has
// Epilogue::bias_relu in its place, if it has a bias.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace atc {

// ReLU6 is a clamp to 0 and 6.
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

std::string_view name_of(Function function);

struct Activation {
  Function function = Function::none;
  float low = 0, high = 0;  // of clamp
  float slope = 0;          // of leaky_relu, from 0 to 1

  bool operator==(const Activation& other) const {
    return function == other.function && low == other.low && high == other.high &&
           slope == other.slope;
  }
};

struct Ending {
  bool scale = false;
  bool residual = false;  // a tensor like the output
  Activation activation;

  bool any() const { return scale || residual || activation.function != Function::none; }
  bool operator==(const Ending& other) const {
    return scale == other.scale && residual == other.residual && activation == other.activation;
  }
};

// Returns " *scale +residual clamp 0:6", or "" if there is no ending.
std::string describe(const Ending& ending);

// The activation of a number, in double precision and in fp32. NaN stays NaN.
double activated(const Activation& activation, double value);
float activated(const Activation& activation, float value);

// An upper bound of the activation's slope: numbers that differ by d have activations that differ
// by at most this multiple of d.
double steepest(Function function);

// Whether the activation of an integer is that integer or one of the limits of a clamp, so that
// nothing is rounded.
bool keeps_integers(Function function);

}  // namespace atc
