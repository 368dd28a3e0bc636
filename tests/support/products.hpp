// Convolutions that are products of matrices, and some that nearly are.
#pragma once

#include <cstddef>
#include <vector>

#include "core/problem.hpp"

namespace atc::test {

// Pointwise ones and ones whose kernel is the whole input: every direction, 1-3 dims, dtypes,
// memory (first, last, one of each, slices of tensors with more channels, crops of wider ones),
// epilogues, accumulating or not, sizes of one element, odd ones, and ones that fill tiles. Of all
// combinations each `step`-th: with a prime above 7 every value of each still meets every one of
// the others.
std::vector<Problem> make_products(std::size_t step);

}  // namespace atc::test
