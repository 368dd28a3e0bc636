// The layers of the sweep, which runs each implementation that oneDNN offers on random layers.
// Properties of layers for which oneDNN is known to have faults, and similar properties, are
// frequent among the layers: few channels, strides, planes that no window reaches, dilation,
// groups, small extents.
#pragma once

#include <cstdint>

#include "core/problem.hpp"

namespace atc::test {

// Returns the layer that belongs to the seed. The layer is the same on every machine.
Problem draw_layer(std::uint64_t seed);

}  // namespace atc::test
