// Compares the result of a convolution with LibTorch's result.
#pragma once

#include <ATen/Functions.h>

#include <cmath>

namespace atc_torch_test {

// Returns whether two f32 results are equal up to rounding. Each element is a sum of `products`
// products whose magnitudes are about 1. The tolerance is the one by which atc checks candidates in
// fp32 (tolerance.hpp): 2^-13 times the square root of the sum of the squared products.
inline bool is_close(const at::Tensor& got, const at::Tensor& plain, int products) {
  return at::allclose(got, plain, 0x1p-13, 0x1p-13 * std::sqrt(products));
}

}  // namespace atc_torch_test
