// Computes the post-ops of a convolution (scale, bias, residual and activation) by a loop over the
// output, on the CPU.
#pragma once

#include "core/problem.hpp"

namespace atc {

// Replaces each element of the output by activation(scale * element + bias + residual), computed in
// fp32 and rounded once to the output's dtype. If `with_bias` is false, the bias is not added,
// because the output already contains it.
void apply_post_ops(const Problem& problem, const Operands& operands, bool with_bias);

}  // namespace atc
