// Describes a move (a copy between strided views of memory) with the facts by which atc chooses the
// kernel for it: the size of the units that are copied, and the alignments of source and target.
#pragma once

#include <cstdint>
#include <vector>

#include "engines/rewrite/move/move.hpp"
#include "engines/rewrite/move/plan.hpp"

namespace atc::rewrite {

constexpr std::int64_t kWidestAccess = 16;  // bytes

struct Layouts {
  PlainMove move;
  int width;                                        // the size of a unit in bytes
  std::int64_t source_alignment, target_alignment;  // the alignments of element 0 in bytes
};

using Dims = std::vector<MoveDim>;

Divider divider(std::int64_t divisor);
UnitsDim units_dim(const MoveDim& dim);
// Returns a launch of a kernel in which only the offsets of source and target are set.
MoveLaunch launch_at(const Layouts& layouts);

}  // namespace atc::rewrite
