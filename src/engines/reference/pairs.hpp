// Determines whether an element of one operand and an element of another belong together. A summand
// of the convolution is a product of an element of x and an element of w that is added to an
// element of y. Two elements belong together if they occur in the same summand.
#pragma once

#include "core/problem.hpp"

namespace atc::reference {

// The indices of two elements of different operands. The pointer for the operand that has no
// element here is null.
struct Pair {
  const Tensor::Index* x = nullptr;
  const Tensor::Index* w = nullptr;
  const Tensor::Index* y = nullptr;
};

// Returns whether the two elements occur in the same summand. Products with padding do not count.
bool belong_together(const Problem& problem, const Pair& pair);

}  // namespace atc::reference
