// Seeded contents for tensors. An element's value depends on the seed and on its logical position
// alone, so equal tensors in different layouts get equal contents.
#pragma once

#include <cstdint>

#include "core/problem.hpp"
#include "core/random.hpp"

namespace atc {

// Fills with -1, 0 or 1, equally often. Sums of their products are exact in fp32 up to 2^24 terms.
void fill_ternary(const Tensor& tensor, void* data, std::uint64_t seed);

// Fills with about normally distributed numbers (mean 0, variance 1, |value| < 3.5), rounded to the
// tensor's dtype.
void fill_normal(const Tensor& tensor, void* data, std::uint64_t seed);

}  // namespace atc
