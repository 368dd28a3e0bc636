// The tiling of planes in channels last: how a plane is cut into tiles. All kernels that compute
// such planes use it.
#pragma once

#include "engines/kernels/depthwise/geometry.hpp"
#include "engines/kernels/depthwise/plan.hpp"

namespace atc::depthwise {

// Decides how the threads of a block share channels and positions. Bands make no difference. The
// number of vectors of a block becomes a multiple of `multiple`.
void share_out(int vector, int multiple, const Geometry& g, LastTiling& tiling);

// Cuts a plane of `all` units of rows into bands. Returns false if that takes too many blocks.
bool cut_bands(const Geometry& g, int all, int rows, Plan& plan);

}  // namespace atc::depthwise
