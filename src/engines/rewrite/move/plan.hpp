// The kernels of a move and their parameters: chosen once, when a rewriting is prepared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "engines/rewrite/move/move.hpp"
#include "engines/rewrite/move/parameters.hpp"

namespace atc::rewrite {

// One launch. Offsets are in bytes.
struct MoveLaunch {
  const char* kernel = "";
  unsigned blocks = 0;
  std::uint64_t source_offset = 0, target_offset = 0;
  std::variant<UnitsMove, WideMove, TileMove> parameters;
};

// `width`: bytes of an element, 2 or 4; the alignments are of element 0 of either view, in bytes.
// Launches write disjoint parts of the target. None for a move without elements.
std::vector<MoveLaunch> plan(const Move& move, int width, std::size_t source_alignment,
                             std::size_t target_alignment);

}  // namespace atc::rewrite
