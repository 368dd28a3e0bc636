// Determines which elements of two operands belong together. Two elements belong together if they
// occur in one summand of the convolution: a product of an element of x and an element of w that is
// added to an element of y.
#pragma once

#include "core/problem.hpp"

namespace atc::reference {

// The indices of two elements of different operands. The pointer of the third operand is null.
struct Pair {
  const Tensor::Index* x = nullptr;
  const Tensor::Index* w = nullptr;
  const Tensor::Index* y = nullptr;
};

// Whether the two elements belong together. Products with padding do not count.
bool belong_together(const Problem& problem, const Pair& pair);

}  // namespace atc::reference
