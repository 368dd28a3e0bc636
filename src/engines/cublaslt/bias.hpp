// Decides whether cuBLASLt adds a bias, or, afterwards, a kernel of atc's own.
#pragma once

#include "core/problem.hpp"
#include "engines/cublaslt/product.hpp"

namespace atc::cublaslt {

// Whether cuBLASLt can add the bias to the sum before rounding. It can if the rows of its output
// are channels and there is no ReLU: cuBLASLt's ReLU does not promise to keep a NaN.
bool can_be_fused(const Problem& problem, const Product& product);

}  // namespace atc::cublaslt
