// Moves through shared memory: which way is a tile cut, and how is it written?
#pragma once

#include <optional>

#include "engines/rewrite/move/layouts.hpp"

namespace atc::rewrite {

// None where tiles would be no faster than single units.
std::optional<MoveLaunch> by_tiles(const Layouts& layouts);

}  // namespace atc::rewrite
