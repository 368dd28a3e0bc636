// Generates convolutions that are matrix products, and similar convolutions that are not.
#pragma once

#include <cstddef>
#include <vector>

#include "core/problem.hpp"

namespace atc::test {

// Returns every `step`-th of all combinations of these properties:
// - pointwise convolutions, and convolutions whose kernel is the whole input,
// - every direction, 1 to 3 dimensions, all dtypes,
// - memory orders: channels first, channels last, x and y in different orders, slices of tensors
//   with more channels, crops of wider tensors,
// - epilogues, accumulating or not,
// - sizes of one element, odd sizes and multiples of tiles.
// If `step` is a prime above 7, every value of a property still occurs with every value of every
// other property.
std::vector<Problem> make_products(std::size_t step);

}  // namespace atc::test
