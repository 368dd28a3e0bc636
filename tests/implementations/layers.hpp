// Layers of the sweep: drawn so that the conditions of known faults, and their neighbours, are
// frequent: few channels, strides, planes that no window reaches, dilation, groups, small extents.
#pragma once

#include <cstdint>

#include "core/problem.hpp"

namespace atc::test {

// Returns the layer of a seed, which is the same on every machine.
Problem draw_layer(std::uint64_t seed);

}  // namespace atc::test
