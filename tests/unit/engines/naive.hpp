// A convolution computed straight from the definition. It tests the reference engine.
#pragma once

#include <cstdint>
#include <vector>

#include "core/problem.hpp"

namespace atc::test {

// Returns the output in logical order before rounding. The operands are in the caller's memory
// layout.
std::vector<double> naive(const Problem& problem, const Operands& operands);

}  // namespace atc::test
