// The ending of a convolution as a pass of its own over the output, on the CPU.
#pragma once

#include "core/problem.hpp"

namespace atc {

// Replaces each element of the output by activation(scale * element + bias + residual), in fp32.
// `with_bias` says whether the pass adds the bias; if not, the element already contains it. The
// result is rounded once to the output's dtype.
void apply_ending(const Problem& problem, const Operands& operands, bool with_bias);

}  // namespace atc
