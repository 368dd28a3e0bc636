// One element of a convolution's output, in double.
#pragma once

#include <array>
#include <cstdint>

#include "core/problem.hpp"

namespace atc::reference {

// The value before it is rounded to the output's dtype, at `index` in the output's logical order
// (entries beyond its rank are ignored). With `accumulate` the old value is read from the output
// operand, which is not written. `magnitude`, where given, becomes the sum of |summands|: products,
// bias and old value; errors are measured against it (tolerance.hpp).
double value_at(const Problem& problem, const Operands& operands,
                const std::array<std::int64_t, kMaxRank>& index, double* magnitude = nullptr);

}  // namespace atc::reference
