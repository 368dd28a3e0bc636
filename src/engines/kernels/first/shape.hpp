// Functions that make a Geometry (the arguments of a kernel) from a problem. They set the fields
// that do not depend on a configuration.
#pragma once

#include <string>

#include "core/problem.hpp"
#include "engines/engine.hpp"
#include "engines/kernels/first/geometry.hpp"
#include "engines/kernels/window.hpp"

namespace atc::first {

using kernels::all_channels_first;
using kernels::all_channels_last;
using kernels::ceil_div;

inline int element_of(const Problem& p) { return static_cast<int>(size_of(p.x.dtype)); }
inline bool is_scatter(const Problem& p) { return p.direction == Direction::backward_data; }
inline bool is_gradient(const Problem& p) { return p.direction == Direction::backward_weight; }
// The window of an output is the inputs that it reads. Returns whether some windows begin in the
// middle of a 32-bit word. This is so if elements have 16 bits and the distance between the windows
// of neighbouring outputs is an odd number of elements.
inline bool is_odd(const Geometry& g) { return g.slots.element_bytes == 2 && g.x.step % 2 != 0; }

Geometry geometry_of(const Problem& p);

}  // namespace atc::first
