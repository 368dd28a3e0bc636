// Finds out which elements of two operands belong together: both are in one product x w that is
// added to an element of y.
#pragma once

#include "core/problem.hpp"

namespace atc::reference {

// The indices of elements of two of the operands; the third is null.
struct Pair {
  const Tensor::Index* x = nullptr;
  const Tensor::Index* w = nullptr;
  const Tensor::Index* y = nullptr;
};

// Whether some sum y has a product x w that contains both elements. Products with padding do not
// count.
bool belong_together(const Problem& problem, const Pair& pair);

}  // namespace atc::reference
