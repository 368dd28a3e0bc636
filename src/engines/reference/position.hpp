// One element of a convolution's output, in double.
#pragma once

#include <array>
#include <cstdint>

#include "core/problem.hpp"

namespace atc::reference {

struct ElementValue {
  double value = 0;      // before it is rounded to the output's dtype
  double magnitude = 0;  // sum of |summands|: products, bias and old value
  double energy = 0;     // sum of their squares: errors are measured against both (tolerance.hpp)
  double fresh = 0;      // without the old value
  double products = 0;   // without the bias, too
};

using Index = std::array<std::int64_t, kMaxRank>;

// The element at `index` in the output's logical order (entries beyond its rank are ignored). With
// `accumulate` the old value is read from the output operand, which is not written.
ElementValue value_at(const Problem& problem, const Operands& operands, const Index& index);

}  // namespace atc::reference
