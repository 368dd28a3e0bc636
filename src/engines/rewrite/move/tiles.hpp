// Moves through shared memory: chooses the tiles' shape and the way to write them.
#pragma once

#include <optional>

#include "engines/rewrite/move/layouts.hpp"

namespace atc::rewrite {

// Returns nothing if tiles would be no faster than single units.
std::optional<MoveLaunch> by_tiles(const Layouts& layouts);

}  // namespace atc::rewrite
