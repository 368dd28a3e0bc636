// A move of elements, together with the element width and the alignments by which a kernel is
// chosen.
#pragma once

#include <cstdint>
#include <vector>

#include "engines/rewrite/move/move.hpp"
#include "engines/rewrite/move/plan.hpp"

namespace atc::rewrite {

constexpr std::int64_t kWidestAccess = 16;  // bytes

struct Layouts {
  PlainMove move;
  int width;                                        // bytes of a unit
  std::int64_t source_alignment, target_alignment;  // bytes, of element 0
};

using Dims = std::vector<MoveDim>;

Divider divider(std::int64_t divisor);
UnitsDim units_dim(const MoveDim& dim);
MoveLaunch launch_at(const Layouts& layouts);  // with the offsets only

}  // namespace atc::rewrite
