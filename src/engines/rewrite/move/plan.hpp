// Chooses the CUDA kernels and the parameters that run a move (move.hpp). They are chosen once,
// when a rewrite is prepared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "engines/rewrite/move/move.hpp"
#include "engines/rewrite/move/parameters.hpp"

namespace atc::rewrite {

// One launch of a kernel. Offsets are in bytes.
struct MoveLaunch {
  const char* kernel = "";
  unsigned blocks = 0;
  std::uint64_t source_offset = 0, target_offset = 0;
  std::variant<UnitsMove, WideMove, TileMove> parameters;
};

// Returns the launches of kernels that run a move. The launches write disjoint parts of the target.
// If the move has no elements, there are no launches. `width` is the size of an element in bytes, 2
// or 4. The two alignments are those of element 0 of the source and of the target, in bytes.
std::vector<MoveLaunch> plan(const Move& move, int width, std::size_t source_alignment,
                             std::size_t target_alignment);

}  // namespace atc::rewrite
