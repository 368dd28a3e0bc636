// Chooses the parameters of a move in tiles through shared memory: the shape of the tiles and the
// way to write them.
#pragma once

#include <optional>

#include "engines/rewrite/move/layouts.hpp"

namespace atc::rewrite {

// Returns the launch of a move in tiles. Returns nullopt if a move in tiles is impossible or would
// not be faster than a move by single units.
std::optional<MoveLaunch> by_tiles(const Layouts& layouts);

}  // namespace atc::rewrite
