// Convolutions that are products of matrices, and similar ones that are not.
#pragma once

#include <cstddef>
#include <vector>

#include "core/problem.hpp"

namespace atc::test {

// Pointwise convolutions and convolutions whose kernel is the whole input, in every direction, with
// 1-3 dims, all dtypes, memory orders (first, last, one of each, slices of tensors with more
// channels, crops of wider tensors), epilogues, accumulating or not, and sizes of one element, odd
// sizes and multiples of tiles. Returns every `step`-th combination: with a prime `step` above 7
// every value of a property still occurs with every value of every other.
std::vector<Problem> make_products(std::size_t step);

}  // namespace atc::test
