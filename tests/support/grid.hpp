// A generated set of small problems that covers all kinds of convolutions.
#pragma once

#include <cstdint>
#include <vector>

#include "core/problem.hpp"

namespace atc::test {

struct Grid {
  std::vector<Problem> problems;
  // The number of drawn problems that were left out because the grid already had them.
  std::size_t duplicates = 0;
};

// Returns every combination of these properties:
// - the direction,
// - 1 to 3 dimensions,
// - four kinds of groups: one, two, as many as channels, as many as channels with two filters each,
// - twelve windows (stride, dilation, padding), some of them asymmetric,
// - three memory orders: first, last, strided.
// Each combination occurs `repeats` times. Its extents, dtypes, epilogue and accumulation are drawn
// from the seed. Problems with special sizes follow: ones, primes, kernel = input, empty batch,
// 1x1.
Grid make_grid(int repeats, std::uint64_t seed);

}  // namespace atc::test
