// A problem as a Geometry, as far as no tile changes it.
#pragma once

#include <string>

#include "core/problem.hpp"
#include "engines/kernels/dense/geometry.hpp"

namespace atc::dense {

// Why these kernels do not serve the problem; "" where they do.
std::string objection(const Problem& p);

// Of a problem that they serve, with its raster for images cut into so many strips of columns.
Geometry geometry_of(const Problem& p, int strips);
FilterView filter_view(const Problem& p);

}  // namespace atc::dense
