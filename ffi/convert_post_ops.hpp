// Converts the post-ops of a convolution (scale, residual and activation, applied to the output)
// between the fields of atc_conv_problem and the core's type in core/post_ops.hpp.
#pragma once

#include "atc/conv.h"
#include "core/problem.hpp"

namespace atc::ffi {

// Checks the fields of the post-ops. Throws Error(invalid_argument) with the field and its value in
// the text. The caller must have checked the other enums of `p`.
void check_post_ops(const atc_conv_problem& p);

// Sets the epilogue and the post-ops of the problem. If the same arithmetic can be described in two
// ways, one of them is used: a bias with a ReLU and nothing else becomes Epilogue::bias_relu, and a
// ReLU6 becomes a clamp to 0 and 6.
void set_post_ops(Problem& problem, const atc_conv_problem& p);

// Writes the post-ops to the fields of `p`. From these fields set_post_ops makes the same post-ops
// again.
void write_post_ops(atc_conv_problem& p, const PostOps& post_ops);

}  // namespace atc::ffi
