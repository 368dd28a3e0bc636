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

// Returns problems for every combination of these properties:
// - the direction,
// - 1 to 3 dimensions,
// - four kinds of groups: one, two, as many as channels, as many as channels with two filters each,
// - twelve windows (stride, dilation, padding), some of them asymmetric,
// - three memory orders: first, last, strided.
// There are `repeats` problems for each combination. Their extents, dtypes, epilogues and
// accumulation are random numbers that the seed determines. Problems with special sizes follow: all
// extents 1, primes, a kernel as large as the input, an empty batch, a 1x1 kernel.
Grid make_grid(int repeats, std::uint64_t seed);

}  // namespace atc::test
