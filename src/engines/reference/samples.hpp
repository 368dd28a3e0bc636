// Chooses the samples: the elements of an output that the correctness gate compares with the
// reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/problem.hpp"

namespace atc::reference {

// The default number of samples: 1,024. For backward-weight it is 256, because there each sample
// needs a whole sum over batch and space.
std::size_t default_samples(const Problem& problem);

// Whether the default samples contain all elements of the output.
bool covers_output(const Problem& problem);

// Returns the logical numbers of the samples, sorted. If the output has at most `count` elements,
// all of them are samples. Otherwise the following elements are samples, at least `count`:
//   * every combination of the first, an inner and the last index of each dimension;
//   * one element of every group, however many groups there are;
//   * at least 128 others. Take any 128 of these in a row and divide their channels by 128: each
//     remainder occurs once (and so with 64, 32, …). The same holds for their places. So each
//     place of a tile of up to 128 elements is sampled.
// These are samples in addition:
//   * elements that no window reaches, near both ends of each dimension and for every place between
//     two windows;
//   * the first element of the last tile, for tiles of 2 to 256 elements along channels, along each
//     dimension, and along all places of a channel together.
std::vector<std::int64_t> sample_positions(const Problem& problem, std::size_t count,
                                           std::uint64_t seed);

}  // namespace atc::reference
