// Where a bias is added: by cuBLASLt, or by a kernel of atc's behind it.
#pragma once

#include "core/problem.hpp"
#include "engines/cublaslt/product.hpp"

namespace atc::cublaslt {

// Whether cuBLASLt adds it, to the sum before rounding: along the rows of its output alone. Its
// ReLU does not promise to keep a NaN.
bool can_be_fused(const Problem& problem, const Product& product);

// Whether it can be added to what cuBLASLt has written.
bool can_be_apart(const Problem& problem);

}  // namespace atc::cublaslt
