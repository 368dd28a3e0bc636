// Converts the post-ops of a convolution (scale, residual and activation, applied to the output)
// between the fields of atc_conv_problem and the core's type in core/post_ops.hpp.
#pragma once

#include "atc/conv.h"
#include "core/problem.hpp"

namespace atc::ffi {

// Throws Error(invalid_argument) if a field of the post-ops is not valid. The text of the error has
// the field and its value. The caller must have checked all other enums of `p`, such as data types.
void check_post_ops(const atc_conv_problem& p);

// Sets the epilogue (bias and ReLU) and the post-ops of the problem from the fields of `p`. If `p`
// describes arithmetic that can be described in two ways, one of these ways is always used: a bias
// with a ReLU and nothing else becomes Epilogue::bias_relu, and a ReLU6 becomes a clamp to 0 and 6.
void set_post_ops(Problem& problem, const atc_conv_problem& p);

// Writes the post-ops to the fields of `p`. From these fields set_post_ops makes the same post-ops
// again.
void write_post_ops(atc_conv_problem& p, const PostOps& post_ops);

}  // namespace atc::ffi
