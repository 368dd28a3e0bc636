// The post-ops of a convolution: operations on the sum, before the sum is rounded to the type of
// the output:
//
//   activation(scale[k] * sum + bias[k] + residual[n, k, o])
//
// The bias is a part of Problem::epilogue, not of PostOps. If a problem has a bias and its post-ops
// are only a ReLU, the problem has Epilogue::bias_relu and no post-ops.
#pragma once

#include <string>
#include <string_view>

#include "core/activation.hpp"

namespace atc {

std::string_view name_of(Function function);

struct PostOps {
  bool scale = false;
  bool residual = false;  // true: a tensor with the shape of the output is added
  Activation activation;

  bool any() const { return scale || residual || activation.function != Function::none; }
  bool operator==(const PostOps& other) const {
    return scale == other.scale && residual == other.residual && activation == other.activation;
  }
};

// Returns, for example, " *scale +residual clamp 0:6". Returns "" if there are no post-ops.
std::string describe(const PostOps& post_ops);

// Return the activation of a number, in double precision and in fp32. The activation of NaN is NaN.
double activated(const Activation& activation, double value);
float activated(const Activation& activation, float value);

// Returns an upper bound of the activation's absolute slope. If two numbers differ by d, their
// activations differ by at most d times this bound.
double steepest(Function function);

// True if the activation maps every integer to the integer itself or to a limit of a clamp, so that
// no rounding is needed.
bool keeps_integers(Function function);

}  // namespace atc
