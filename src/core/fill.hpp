// Fills tensors with pseudo-random values. The value of an element depends only on the seed and on
// the element's logical position. So tensors of the same shape in different layouts have the same
// values.
#pragma once

#include <cstdint>

#include "core/problem.hpp"
#include "core/random.hpp"

namespace atc {

// Fills the tensor with -1, 0 and 1 with equal probability. Sums of at most 2^24 products of such
// values are exact in fp32.
void fill_ternary(const Tensor& tensor, void* data, std::uint64_t seed);

// Fills the tensor with about normally distributed numbers (mean 0, variance 1, |value| < 3.5),
// rounded to the tensor's dtype.
void fill_normal(const Tensor& tensor, void* data, std::uint64_t seed);

}  // namespace atc
