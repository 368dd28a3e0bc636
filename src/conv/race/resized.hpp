// Makes a problem with other extents: it has the same kernel, stride, dilation and padding, and
// another input.
#pragma once

#include <cstdint>

#include "core/problem.hpp"

namespace atc::conv {

// The number of elements from the first tap of a kernel to its last.
std::int64_t reach(const Problem& problem, int dim);
// Returns the padding of dimension `dim` of x, in elements: the sum of both sides.
std::int64_t padding(const Problem& problem, int dim);

// Returns the problem with this batch and these spatial extents of x. The extents must leave at
// least one output. Its x and y are dense: channels last if the problem's are, else channels first.
Problem with_input(const Problem& problem, std::int64_t batch, const Extents& in);

}  // namespace atc::conv
