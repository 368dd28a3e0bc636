// A convolution that is computed directly from its definition. Tests compare the reference engine
// with it.
#pragma once

#include <cstdint>
#include <vector>

#include "core/problem.hpp"

namespace atc::test {

// Returns the output in logical order, before it is rounded. The operands may have any memory
// layout.
std::vector<double> naive(const Problem& problem, const Operands& operands);

}  // namespace atc::test
