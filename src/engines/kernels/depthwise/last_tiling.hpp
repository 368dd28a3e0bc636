// Functions that cut a plane (one channel of an image) into tiles, for all depthwise kernels for
// channels last.
#pragma once

#include "engines/kernels/depthwise/geometry.hpp"
#include "engines/kernels/depthwise/plan.hpp"

namespace atc::depthwise {

// Decides how the threads of a block share channels and positions: sets the members vectors,
// chunks, lanes and lines of `tiling`. `vector` is the number of channels that a thread computes.
// The number of vectors of a block (lanes) is made a multiple of `multiple`.
void share_out(int vector, int multiple, const Geometry& g, LastTiling& tiling);

// Cuts a plane into bands of rows. A unit is the rows of outputs that one step completes. The plane
// has `all` units, and a band has `rows` units. Returns false if there would be too many blocks.
bool cut_bands(const Geometry& g, int all, int rows, Plan& plan);

}  // namespace atc::depthwise
