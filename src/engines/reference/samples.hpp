// The elements of an output that the correctness gate compares with the reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/problem.hpp"

namespace atc::reference {

// Samples by default: 1,024, or 256 for backward-weight, where each costs a whole reduction over
// batch and space.
std::size_t default_samples(const Problem& problem);

// Whether the default samples are all elements of the output.
bool covers_output(const Problem& problem);

// Logical numbers of elements of the output, sorted: all if there are no more than `count`. Else
// these, which are `count` at least:
//   * every combination of the first, an inner and the last index of each dimension;
//   * an element of every group, however many there are;
//   * others, 128 at least, drawn such that any 128 in a row have each remainder of a division by
//     128 once (and so by 64, 32, …), of the channel and of the place: each place of a tile is
//     sampled, unless the tile is larger.
// And besides:
//   * elements that no window reaches, near both ends of each dimension and for every place between
//     two windows;
//   * the first element of the last tile, for tiles of 2 to 256 along channels, along each
//     dimension and along all places of a channel together.
std::vector<std::int64_t> sample_positions(const Problem& problem, std::size_t count,
                                           std::uint64_t seed);

}  // namespace atc::reference
