// Computes a tile of the output by direct sums. It is used for a tile if Winograd's method has
// returned Inf or NaN for it.
//
// Winograd's method may return Inf or NaN where a direct sum does not, for two reasons. The
// transforms spread an Inf or NaN of the input to all outputs of the tile. And sums of large
// numbers may overflow in the transforms although the output itself does not overflow.
#pragma once

#include <cstdint>

#include "engines/winograd/geometry.hpp"
#include "engines/winograd/kernels.hpp"

namespace atc::winograd {

// Computes a tile of m x m outputs, whose first output is at (row, column), for the filters [first,
// first + count). Outputs and filters outside of the convolution are skipped. The pointers in `in`,
// `out` and `filters` must be set.
void compute_directly(const Geometry& geometry, int m, const Plane& in, const Plane& out,
                      const Filters& filters, std::int64_t row, std::int64_t column,
                      std::int64_t first, std::int64_t count, const Finish& finish);

}  // namespace atc::winograd
