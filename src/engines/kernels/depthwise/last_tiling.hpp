// How planes in channels last are cut, whichever kernel computes them.
#pragma once

#include "engines/kernels/depthwise/geometry.hpp"
#include "engines/kernels/depthwise/plan.hpp"

namespace atc::depthwise {

// Decides how a block's threads share channels and positions. Bands do not matter. The vectors of a
// block become a multiple of `multiple`.
void share_out(int vector, int multiple, const Geometry& g, LastTiling& tiling);

// Cuts a plane of `all` units of rows into bands. False if that takes too many blocks.
bool cut_bands(const Geometry& g, int all, int rows, Plan& plan);

}  // namespace atc::depthwise
