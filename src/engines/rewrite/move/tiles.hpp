// Moves through shared memory: the choice of the tiles' shape and of the way to write them.
#pragma once

#include <optional>

#include "engines/rewrite/move/layouts.hpp"

namespace atc::rewrite {

// Empty where tiles would be no faster than single units.
std::optional<MoveLaunch> by_tiles(const Layouts& layouts);

}  // namespace atc::rewrite
