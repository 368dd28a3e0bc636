// A problem as a Geometry: the fields that do not depend on a configuration.
#pragma once

#include <cstdint>
#include <string>

#include "core/problem.hpp"
#include "engines/engine.hpp"
#include "engines/kernels/implicit/geometry.hpp"
#include "engines/kernels/window.hpp"

namespace atc::implicit {

using kernels::ceil_div;

inline bool is_gradient(const Problem& p) { return p.direction == Direction::backward_weight; }
inline int width_of_chunk(const Problem& p) {  // elements
  return kChunk / static_cast<int>(size_of(p.x.dtype));
}

// Returns why these kernels cannot compute the problem; "" if they can.
std::string objection(const Problem& p);

// Returns the fields for a problem without an objection.
Geometry geometry_of(const Problem& p, const Limits& limits);
FilterView filter_view(const Problem& p);

// How warps share a group's output channels: a unit is `eights` n8 tiles, a block has `units`
// units, and there are `blocks` blocks.
constexpr int kMostUnits = kWarps, kMostEights = 4;
struct Units {
  int eights = 0, units = 0, blocks = 1;
};
Units units_of(const Geometry& g);

// Returns the largest extents over all phases of a dimension.
Axis longest(const Axis (&axes)[kMostPhases]);

// Returns how many inputs along a dimension `tile` neighbouring outputs read.
inline int halo(int tile, int step, const Axis& axis) {
  return (tile - 1) * step + (axis.taps > 1 ? axis.taps - 1 : 0) * axis.spacing + 1;
}

}  // namespace atc::implicit
