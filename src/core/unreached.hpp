// Finds elements of x that no window (position of the kernel) of a convolution contains. Their
// gradient is 0. A faulty implementation may forget to write these zeros.
#pragma once

#include "core/problem.hpp"

namespace atc {

// Whether x has elements that no window contains because of their position in the spatial dimension
// `dim`.
bool has_unreached_elements(const Problem& problem, int dim);
bool has_unreached_elements(const Problem& problem);  // in any dimension

}  // namespace atc
