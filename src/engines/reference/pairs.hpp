// Which elements of two operands belong together: both are in one product x w that is added to y.
#pragma once

#include "core/problem.hpp"

namespace atc::reference {

// Elements of two of the operands; the third is null.
struct Pair {
  const Tensor::Index* x = nullptr;
  const Tensor::Index* w = nullptr;
  const Tensor::Index* y = nullptr;
};

// Whether there is a product x w of a sum y with these two. Products with padding are none.
bool belong_together(const Problem& problem, const Pair& pair);

}  // namespace atc::reference
