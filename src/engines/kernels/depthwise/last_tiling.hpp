// Functions that cut a plane into tiles, for all kernels for channels last.
#pragma once

#include "engines/kernels/depthwise/geometry.hpp"
#include "engines/kernels/depthwise/plan.hpp"

namespace atc::depthwise {

// Decides how the threads of a block share channels and positions: sets vectors, chunks, lanes and
// lines of `tiling`. `vector` is the number of channels of a vector. The number of vectors of a
// block (lanes) is made a multiple of `multiple`.
void share_out(int vector, int multiple, const Geometry& g, LastTiling& tiling);

// Cuts a plane into bands of `rows` units. A unit is the rows that a step completes; the plane has
// `all` units. Returns false if there would be too many blocks.
bool cut_bands(const Geometry& g, int all, int rows, Plan& plan);

}  // namespace atc::depthwise
