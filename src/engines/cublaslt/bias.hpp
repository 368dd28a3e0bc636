// Decides whether cuBLASLt itself can add the bias of a convolution. If it cannot, a kernel of
// atc's own adds the bias afterwards.
#pragma once

#include "core/problem.hpp"
#include "engines/cublaslt/product.hpp"

namespace atc::cublaslt {

// Whether cuBLASLt can add the bias to the sum before the sum is rounded. It can if three
// conditions hold: the rows of the product's output are channels; there is no ReLU (cuBLASLt's ReLU
// may lose a NaN); and the problem does not accumulate (add to the old output) into an output of 16
// bits.
bool can_be_fused(const Problem& problem, const Product& product);

}  // namespace atc::cublaslt
