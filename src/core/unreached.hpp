// Finds elements of x that no window of a convolution contains. Their gradient is 0, so a kernel
// may forget to write it.
#pragma once

#include "core/problem.hpp"

namespace atc {

// Whether x has elements along the spatial dimension `dim` that no window contains.
bool has_unreached_elements(const Problem& problem, int dim);
bool has_unreached_elements(const Problem& problem);  // in any dimension

}  // namespace atc
