// Computes one element of a convolution's output in double precision.
#pragma once

#include <vector>

#include "core/problem.hpp"

namespace atc::reference {

struct ElementValue {
  double value = 0;  // the value before it is rounded to the output's dtype
  // The sum of the absolute values of the summands: products (times the scale), bias, residual and
  // old value. An activation multiplies it, and the next two numbers, by the largest factor by
  // which it can enlarge an error of the sum.
  double magnitude = 0;
  // Sum of the squares of the summands; tolerance.hpp uses it and `magnitude`.
  double energy = 0;
  // The largest partial sum that an engine may round before it adds bias, residual or old value
  // (times the scale).
  double fresh = 0;
};

using Index = Tensor::Index;

// The element at `index`, in the output's logical order (entries beyond its rank are ignored). With
// `accumulate` the old value is read from the output operand. The output operand is not written.
ElementValue value_at(const Problem& problem, const Operands& operands, const Index& index);
// Returns value_at for many elements.
std::vector<ElementValue> values_at(const Problem& problem, const Operands& operands,
                                    const std::vector<Index>& indices);

}  // namespace atc::reference
