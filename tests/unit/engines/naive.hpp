// A convolution computed straight from the definition. It tests the reference engine.
#pragma once

#include <cstdint>
#include <vector>

#include "core/problem.hpp"

namespace atc::test {

// The output in logical order before rounding, from operands as they lie in memory.
std::vector<double> naive(const Problem& problem, const Operands& operands);

}  // namespace atc::test
