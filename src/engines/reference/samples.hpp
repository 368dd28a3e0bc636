// Chooses the samples: the elements of an output that the correctness gate (the check of a
// candidate) compares with the reference engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/problem.hpp"

namespace atc::reference {

// Returns the default number of samples. It is 256 for backward-weight, because each sample is a
// long sum over batch and space. It is 1,024 for the other directions.
std::size_t default_samples(const Problem& problem);

// Whether the default samples contain all elements of the output.
bool covers_output(const Problem& problem);

// Returns the sorted numbers of the samples in logical order. If the output has at most `count`
// elements, all elements are samples. Otherwise there are at least `count` samples, which include:
//
// * for each combination of the first, an inner and the last index of the dimensions, one element;
// * one element of each group of the convolution;
// * at least 128 further elements. If 128 of these are chosen one after the other, their channel
//   numbers have 128 different remainders modulo 128, and so have their places (the place of an
//   element is its number within its channel). So each position within a tile of up to 128 elements
//   is sampled.
//
// The following elements are samples, too:
// * elements that no window of the filter reaches, near both ends of each dimension and in its
//   middle;
// * the first element of the last tile, for tiles of 2, 4, … 256 elements along the channels, along
//   each spatial dimension, and along all places of a channel.
std::vector<std::int64_t> sample_positions(const Problem& problem, std::size_t count,
                                           std::uint64_t seed);

}  // namespace atc::reference
