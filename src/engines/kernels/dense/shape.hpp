// A problem as a Geometry: the fields that do not depend on a tile.
#pragma once

#include <string>

#include "core/problem.hpp"
#include "engines/kernels/dense/geometry.hpp"

namespace atc::dense {

// Why these kernels do not serve the problem; "" where they do.
std::string objection(const Problem& p);

// For a problem that they serve. `strips`: of columns, that each image is cut into.
Geometry geometry_of(const Problem& p, int strips);
FilterView filter_view(const Problem& p);

}  // namespace atc::dense
