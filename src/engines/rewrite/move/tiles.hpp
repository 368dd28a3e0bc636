// Chooses the parameters of a move that copies tiles through shared memory: the shape of the tiles
// and the way to write them.
#pragma once

#include <optional>

#include "engines/rewrite/move/layouts.hpp"

namespace atc::rewrite {

// Returns a launch that copies tiles through shared memory. Returns nullopt if this is impossible,
// or not faster than copying single units.
std::optional<MoveLaunch> by_tiles(const Layouts& layouts);

}  // namespace atc::rewrite
