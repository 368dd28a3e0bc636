// Computes a tile of the output by direct sums. This is used for tiles in which Winograd's method
// returns Inf or NaN.
//
// Such an Inf or NaN has one of two causes. The transforms spread an Inf or NaN of the input to all
// outputs of the tile. Sums of large numbers may overflow in the transforms although the output
// does not overflow.
#pragma once

#include <cstdint>

#include "engines/winograd/geometry.hpp"
#include "engines/winograd/kernels.hpp"

namespace atc::winograd {

// Computes the m x m outputs that begin at (row, column), for the filters [first, first + count).
// Outputs and filters outside of the convolution are skipped. The pointers in `in`, `out` and
// `filters` must be set.
void compute_directly(const Geometry& geometry, int m, const Plane& in, const Plane& out,
                      const Filters& filters, std::int64_t row, std::int64_t column,
                      std::int64_t first, std::int64_t count, const Finish& finish);

}  // namespace atc::winograd
