// The layers of the sweep over implementations. They are drawn so that the conditions of known
// faults, and similar conditions, are frequent: few channels, strides, planes that no window
// reaches, dilation, groups, small extents.
#pragma once

#include <cstdint>

#include "core/problem.hpp"

namespace atc::test {

// Returns the layer of a seed, which is the same on every machine.
Problem draw_layer(std::uint64_t seed);

}  // namespace atc::test
