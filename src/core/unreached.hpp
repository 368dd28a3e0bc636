// Elements of x that are in no window of a convolution: their gradient is 0, and a kernel may
// forget to write it.
#pragma once

#include "core/problem.hpp"

namespace atc {

// Whether windows leave out a place of dimension `dim`, counted among the spatial dimensions.
bool has_unreached_elements(const Problem& problem, int dim);
bool has_unreached_elements(const Problem& problem);  // in any dimension

}  // namespace atc
