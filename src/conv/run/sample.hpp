// Samples of a plan's output, to compare with those of plans on other machines or libraries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "conv/run/plan.hpp"

namespace atc::conv {

// Runs the plan once on operands filled with about N(0, 1) by the seed, and returns `count`
// elements of its output, evenly spread: element i * elements / count, in logical order. Waits for
// the device. Throws Error(invalid_argument) for an output without elements, or with fewer.
std::vector<double> sample(Plan& plan, std::uint64_t seed, std::size_t count);

}  // namespace atc::conv
