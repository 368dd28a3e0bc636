// Functions that make a Geometry (the arguments of a kernel) from a problem. They set the fields
// that do not depend on the size of a tile.
#pragma once

#include <string>

#include "core/problem.hpp"
#include "engines/kernels/dense/geometry.hpp"

namespace atc::dense {

// Returns why the kernels of convolve.cu cannot compute the problem, as a text for people; "" if
// they can.
std::string objection(const Problem& p);

// geometry_of returns the fields of Geometry that follow from the problem. `strips` is the number
// of strips of columns into which each image is cut. filter_view describes the filters. The caller
// must have checked that `objection` returns "" for the problem.
Geometry geometry_of(const Problem& p, int strips);
FilterView filter_view(const Problem& p);

}  // namespace atc::dense
