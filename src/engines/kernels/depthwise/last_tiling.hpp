// How a plane is cut into tiles by the kernels for channels last. All families of these kernels use
// these functions.
#pragma once

#include "engines/kernels/depthwise/geometry.hpp"
#include "engines/kernels/depthwise/plan.hpp"

namespace atc::depthwise {

// Decides how the threads of a block share channels and positions: sets vectors, chunks, lanes and
// lines of `tiling`. `vector` is the number of channels of a vector. The number of vectors of a
// block is made a multiple of `multiple`.
void share_out(int vector, int multiple, const Geometry& g, LastTiling& tiling);

// Cuts a plane of `all` units of rows into bands of `rows` units. Returns false if there would be
// too many blocks.
bool cut_bands(const Geometry& g, int all, int rows, Plan& plan);

}  // namespace atc::depthwise
