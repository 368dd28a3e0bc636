// Takes samples of a plan's output, to compare them with those of plans on other machines or with
// other libraries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "conv/run/plan.hpp"

namespace atc::conv {

// Executes the plan once. The operands have values of about N(0, 1), which the seed determines.
// Returns `count` elements of the output, evenly spread: element i * elements / count, in logical
// order. Waits for the device. Throws Error(invalid_argument) if the output has no elements, or
// fewer than `count`.
std::vector<double> sample(Plan& plan, std::uint64_t seed, std::size_t count);

}  // namespace atc::conv
