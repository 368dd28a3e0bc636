// Makes a problem with another input. The kernel, stride, dilation and padding remain the same.
#pragma once

#include <cstdint>

#include "core/problem.hpp"

namespace atc::conv {

// Returns the number of input elements from the first tap of a kernel to its last, in dimension
// `dim`.
std::int64_t reach(const Problem& problem, int dim);
// Returns the padding of x in dimension `dim`, in elements, added up over both sides.
std::int64_t padding(const Problem& problem, int dim);

// Returns the problem with this batch and these spatial extents of x. The extents must leave at
// least one output. The new x and y are dense. They are channels last if those of the problem are,
// else channels first.
Problem with_input(const Problem& problem, std::int64_t batch, const Extents& in);

}  // namespace atc::conv
