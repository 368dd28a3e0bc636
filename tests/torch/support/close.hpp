// Comparison of a convolution's result with LibTorch's.
#pragma once

#include <ATen/Functions.h>

#include <cmath>

namespace atc_torch_test {

// Whether two results in f32 are equal up to rounding. Each element is a sum of `products` products
// of size 1. The correctness gate allows errors of 2^-13 of the root of the sum of their squares
// (the class fp32 of tolerance.hpp).
inline bool is_close(const at::Tensor& got, const at::Tensor& plain, int products) {
  return at::allclose(got, plain, 0x1p-13, 0x1p-13 * std::sqrt(products));
}

}  // namespace atc_torch_test
