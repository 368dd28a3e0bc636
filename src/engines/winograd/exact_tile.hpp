// Outputs by direct sums, for tiles in which Winograd's method yields Inf or NaN.
//
// The transforms spread an Inf or NaN of the input to all outputs of its tile, and a sum of large
// numbers may overflow in the transforms although the output does not.
#pragma once

#include <cstdint>

#include "engines/winograd/geometry.hpp"
#include "engines/winograd/kernels.hpp"

namespace atc::winograd {

// Computes the m x m outputs that begin at (row, column), for the filters [first, first + count).
// Outputs and filters that do not exist are left out. `in`, `out` and `filters` have addresses.
void compute_directly(const Geometry& geometry, int m, const Plane& in, const Plane& out,
                      const Filters& filters, std::int64_t row, std::int64_t column,
                      std::int64_t first, std::int64_t count, const Finish& finish);

}  // namespace atc::winograd
