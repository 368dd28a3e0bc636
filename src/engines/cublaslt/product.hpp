// Convolutions as one product of matrices, or as one product for each image: pointwise
// convolutions, and those whose kernel covers the whole input.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/problem.hpp"

namespace atc::cublaslt {

enum class Role { x, w, y };

// A matrix in memory as BLAS sees it: element (i, j) is `leading` * j + i elements from the first.
struct Matrix {
  Role role = Role::x;
  Dtype dtype = Dtype::f32;
  bool transposed = false;  // the factor is its transpose; never of the output
  std::int64_t rows = 0, columns = 0, leading = 0;
  std::int64_t batch_stride = 0;  // elements between the matrices of two images; 0: one for all
};

// output (rows x columns) = a (rows x depth) * b (depth x columns), `batch` times.
struct Product {
  Matrix a, b, output;
  std::int64_t rows = 0, columns = 0, depth = 0, batch = 1;
  // The rows of the output are its channels, along which cuBLASLt can add a bias.
  bool channels_are_rows = false;
};

// Empty if the problem is not a product; `why_not` then says so in a sentence.
std::optional<Product> product_of(const Problem& problem, std::string& why_not);

}  // namespace atc::cublaslt
