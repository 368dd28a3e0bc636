// Computes samples of a plan's output. They can be compared with the samples of a plan on another
// machine or with other libraries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "conv/run/plan.hpp"

namespace atc::conv {

// Executes the plan once. The values of the operands are normally distributed (about N(0, 1)) and
// depend only on the seed. Returns `count` elements of the output, evenly spread: the elements i *
// elements / count in logical order. Waits for the device. Throws Error(invalid_argument) if the
// output has no elements, or fewer than `count`.
std::vector<double> sample(Plan& plan, std::uint64_t seed, std::size_t count);

}  // namespace atc::conv
