// Convolutions as one matrix product, or as one matrix product for each image. Two kinds of
// convolutions are such products: pointwise ones, and those whose kernel covers the whole input.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/problem.hpp"

namespace atc::cublaslt {

enum class Role { x, w, y };

// A matrix in memory as BLAS describes it: element (i, j) is `leading` * j + i elements after the
// first one.
struct Matrix {
  Role role = Role::x;
  Dtype dtype = Dtype::f32;
  bool transposed = false;  // true if memory holds the transpose of the factor; never set for the
                            // output
  std::int64_t rows = 0, columns = 0, leading = 0;
  std::int64_t batch_stride = 0;  // distance in elements between the matrices of two images; 0: all
                                  // images use the same matrix
};

// A product of matrices, computed `batch` times: output (rows x columns) = a (rows x depth) * b
// (depth x columns).
struct Product {
  Matrix a, b, output;
  std::int64_t rows = 0, columns = 0, depth = 0, batch = 1;
  // Whether the output's rows are its channels, along which cuBLASLt can add a bias.
  bool channels_are_rows = false;
};

// Returns the product. Returns nothing if the problem is not a product; then `why_not` is a
// sentence with the reason.
std::optional<Product> product_of(const Problem& problem, std::string& why_not);

}  // namespace atc::cublaslt
