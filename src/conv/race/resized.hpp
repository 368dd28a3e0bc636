// A problem at other extents: the same kernel, stride, dilation and padding over another input.
#pragma once

#include <cstdint>

#include "core/problem.hpp"

namespace atc::conv {

// Elements from the first tap of a kernel to its last.
std::int64_t reach(const Problem& problem, int dim);
// Both sides together.
std::int64_t padding(const Problem& problem, int dim);

// The problem with this batch and these spatial extents of x, which leave an output. Its x and y
// are dense: channels last where the problem's are, else channels first.
Problem with_input(const Problem& problem, std::int64_t batch, const Extents& in);

}  // namespace atc::conv
