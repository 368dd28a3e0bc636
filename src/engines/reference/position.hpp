// Computes one element of a convolution's output in double precision.
#pragma once

#include <vector>

#include "core/problem.hpp"

namespace atc::reference {

struct ElementValue {
  double value = 0;  // the value before it is rounded to the output's dtype
  // The sum of the absolute values of the summands: products (times the scale), bias, residual and
  // old value. An activation can enlarge an error of the sum by at most some factor. If there is an
  // activation, `magnitude` and `fresh` are multiplied by this factor, and `energy` by its square.
  double magnitude = 0;
  // The sum of the squares of the summands. The tolerance (tolerance.hpp) depends on `magnitude`
  // and `energy`.
  double energy = 0;
  // The largest absolute value among the partial sums (times the scale) that an engine may round
  // before it adds the bias, the residual or the old value.
  double fresh = 0;
};

using Index = Tensor::Index;

// Returns the element of the output at `index`. Entries of `index` beyond the rank of the output
// are ignored. If the problem accumulates, the old value is read from the output operand. The
// output operand is not written.
ElementValue value_at(const Problem& problem, const Operands& operands, const Index& index);
// Returns value_at for many elements.
std::vector<ElementValue> values_at(const Problem& problem, const Operands& operands,
                                    const std::vector<Index>& indices);

}  // namespace atc::reference
