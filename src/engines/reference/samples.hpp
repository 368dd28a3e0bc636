// Chooses the samples: the elements of an output that the correctness gate (the check of a
// candidate) compares with the reference engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/problem.hpp"

namespace atc::reference {

// Returns the default number of samples: 1,024, but 256 for backward-weight, where each sample is a
// long sum over batch and space.
std::size_t default_samples(const Problem& problem);

// Returns whether the default samples contain all elements of the output.
bool covers_output(const Problem& problem);

// Returns the sorted numbers of the samples in logical order. If the output has at most `count`
// elements, all elements are samples. Otherwise there are at least `count` samples.
//
// If not all elements of the output are samples, these elements are samples:
// * one element for each combination of the first, an inner and the last index of all dimensions (3
//   indices in each of r dimensions make 3^r elements);
// * one element of each group of the convolution;
// * at least 128 further elements. Any 128 of them that are chosen one after the other have channel
//   numbers with 128 different remainders modulo 128. Their places (the place of an element is its
//   number within its channel) also have 128 different remainders. So each position within a tile
//   of up to 128 elements is sampled.
//
// These elements of the output are also samples:
// * elements that no window of the filter reaches, near both ends of each spatial dimension and in
//   its middle;
// * the first element of the last tile, for tiles of 2, 4, … 256 elements along the channels, along
//   each spatial dimension, and along all places of a channel.
std::vector<std::int64_t> sample_positions(const Problem& problem, std::size_t count,
                                           std::uint64_t seed);

}  // namespace atc::reference
