// A convolution in the form that the kernels of Winograd's method need: a correlation of an input
// with 3 x 3 filters with stride 1. The gradient of x also has this form. In this case the gradient
// of y is the input, the filters are rotated by 180 degrees, and input and output channels are
// exchanged.
#pragma once

#include <cstdint>
#include <string>

#include "core/problem.hpp"
#include "engines/winograd/kernels.hpp"

namespace atc::winograd {

struct Geometry {
  explicit Geometry(const Problem& problem);

  std::int64_t batch, groups;
  // How many rows above the input, and how many columns left of the input, the first window
  // contains.
  std::int64_t pad_row, pad_column;
  Plane in, out;                     // for the first group of the first image; `data` is null
  Filters filters;                   // for the first group; `data` is null
  std::int64_t in_batch, out_batch;  // the distance between two images, in elements
  std::int64_t in_group, out_group, filter_group;  // the distance between two groups, in elements
  // The offset of Filters::data from the first weight of a group, in elements.
  std::int64_t first_tap;
};

// The tiles of a convolution. A tile has m x m outputs.
struct Tiling {
  Tiling(const Geometry& geometry, int m, int lanes, int threads);

  int m;
  // The number of tiles along the rows and columns of an output image.
  std::int64_t rows, columns;
  std::int64_t tiles;    // the number of tiles of one group in all images
  std::int64_t at_once;  // the number of tiles that are in the workspace at the same time
  // The numbers of channels and filters, padded to multiples of vectors (kernels.hpp).
  std::int64_t channels, filters;
  // The sizes, in floats, of the transformed filters, of the transformed inputs, and of the
  // products.
  std::int64_t filter_floats, input_floats, product_floats;
};

// Returns why Winograd's method cannot compute the problem. Returns "" if it can.
std::string objection(const Problem& problem);

}  // namespace atc::winograd
