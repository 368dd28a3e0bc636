// A problem as a Geometry: the fields that do not depend on a tile.
#pragma once

#include <string>

#include "core/problem.hpp"
#include "engines/kernels/dense/geometry.hpp"

namespace atc::dense {

// Returns why these kernels cannot compute the problem; "" if they can.
std::string objection(const Problem& p);

// Returns the fields for a problem without an objection. `strips` is the number of strips of
// columns into which each image is cut.
Geometry geometry_of(const Problem& p, int strips);
FilterView filter_view(const Problem& p);

}  // namespace atc::dense
