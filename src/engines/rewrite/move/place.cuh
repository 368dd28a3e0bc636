// Device functions that compute where a place of a move is in source and target. A place is an
// element or unit of the target; it is identified by its number.
#pragma once

#include "engines/rewrite/move/parameters.hpp"

namespace atc::rewrite {

__device__ inline unsigned quotient(unsigned number, const Divider& by) {
  return (__umulhi(number, by.multiplier) + number) >> by.shift;
}

struct Place {
  long long source = 0, target = 0;
  bool absent = false;  // true if the place has no counterpart in the source
};

__device__ inline void step_to(Place& place, const UnitsDim& dim, unsigned index) {
  place.target += index * dim.target;
  const unsigned from = dim.step.divisor == 1 ? index : quotient(index, dim.step);
  place.absent = place.absent || from >= dim.inside || from * dim.step.divisor != index;
  place.source += from * dim.source;
}

// The position of a place (an element or unit of the target) for a simple move: all steps are 1,
// each place has a counterpart in the source, and all offsets fit into 32 bits.
struct PlainPlace {
  unsigned source = 0, target = 0;
  static constexpr bool absent = false;
};

__device__ inline void step_to(PlainPlace& place, const UnitsDim& dim, unsigned index) {
  place.source += index * static_cast<unsigned>(dim.source);
  place.target += index * static_cast<unsigned>(dim.target);
}

// Returns the place with the number `number` in `rank` dimensions. The number is divided by the
// extents, the last dimension first: the remainder is the index in this dimension, and the quotient
// is divided further. The last quotient is the index in the first dimension.
template <typename AnyPlace, int kMost>
__device__ inline AnyPlace place_of(const UnitsDim (&dims)[kMost], int rank, unsigned number) {
  AnyPlace place;
#pragma unroll
  for (int i = kMost - 1; i >= 0; --i) {
    if (i >= rank) continue;
    const unsigned rest = i == 0 ? 0 : quotient(number, dims[i].extent);
    step_to(place, dims[i], number - rest * dims[i].extent.divisor);
    number = rest;
  }
  return place;
}

}  // namespace atc::rewrite
