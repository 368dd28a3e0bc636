// Functions that make a Geometry (the arguments of a kernel) from a problem. They set the fields
// that do not depend on a configuration.
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
// Returns the number of elements of a chunk (16 bytes).
inline int width_of_chunk(const Problem& p) {
  return kChunk / static_cast<int>(size_of(p.x.dtype));
}

// Returns why the kernels of `implicit` cannot compute the problem, as a text for people; "" if
// they can.
std::string objection(const Problem& p);

// geometry_of returns the fields of Geometry that follow from the problem. filter_view describes
// the filters. The caller must have checked that `objection` returns "" for the problem.
Geometry geometry_of(const Problem& p, const Limits& limits);
FilterView filter_view(const Problem& p);

// How warps and blocks divide the output channels of a group. A unit is `eights` n8 tiles of
// channels, and one warp computes it. A block computes `units` units of a group, and `blocks`
// blocks together compute the group.
constexpr int kMostUnits = kWarps, kMostEights = 4;
struct Units {
  int eights = 0, units = 0, blocks = 1;
};
Units units_of(const Geometry& g);

// A dimension may have several phases (outputs with the same remainder modulo the stride), each
// with an Axis. Returns an Axis with the largest `outputs`, the largest `taps` and the largest
// `spacing` of these. The other fields have their default values.
Axis longest(const Axis (&axes)[kMostPhases]);

// Returns the number of inputs along a dimension that `tile` neighbouring outputs read.
inline int halo(int tile, int step, const Axis& axis) {
  return (tile - 1) * step + (axis.taps > 1 ? axis.taps - 1 : 0) * axis.spacing + 1;
}

}  // namespace atc::implicit
