// A generated set of small problems that covers all kinds of convolutions.
#pragma once

#include <cstdint>
#include <vector>

#include "core/problem.hpp"

namespace atc::test {

struct Grid {
  std::vector<Problem> problems;
  std::size_t duplicates = 0;  // generated twice, kept once
};

// Every combination of direction, 1-3 dims, kind of groups (one, two, as many as channels, the same
// with two filters each), twelve windows (stride, dilation, padding; asymmetric among them) and
// memory (first, last, strided), `repeats` times with extents, dtypes, epilogue and accumulate
// drawn from the seed; then edge sizes by name (ones, primes, kernel = input, empty batch, 1x1).
Grid make_grid(int repeats, std::uint64_t seed);

}  // namespace atc::test
