// Converts a convolution to one matrix product, or to one matrix product for each image. This is
// possible for two kinds of convolutions: those with a 1x1 kernel, and those whose kernel covers
// the whole input.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/problem.hpp"

namespace atc::cublaslt {

enum class Role { x, w, y };

// A matrix in memory, described as in BLAS: the offset of element (i, j) from the first element is
// `leading` * j + i elements.
struct Matrix {
  Role role = Role::x;
  Dtype dtype = Dtype::f32;
  // True if memory contains the transpose of the matrix that is multiplied. `rows` and `columns`
  // are then those of the transpose in memory. Always false for the output.
  bool transposed = false;
  std::int64_t rows = 0, columns = 0, leading = 0;
  // The distance in elements from the matrix of an image to the matrix of the next image. 0 if all
  // images use the same matrix.
  std::int64_t batch_stride = 0;
};

// A matrix product output = a * b, which is computed `batch` times. `output` has rows x columns
// elements, `a` has rows x depth and `b` has depth x columns.
struct Product {
  Matrix a, b, output;
  std::int64_t rows = 0, columns = 0, depth = 0, batch = 1;
  // Whether each row of the output is a channel. cuBLASLt can add a bias only in this case, because
  // its bias has one number for each row.
  bool channels_are_rows = false;
};

// Returns the product that computes the problem. If the problem is not a product, returns nullopt
// and sets `why_not` to a sentence with the reason.
std::optional<Product> product_of(const Problem& problem, std::string& why_not);

}  // namespace atc::cublaslt
