// Describes a convolution in the form that the kernels of Winograd's method need: as a correlation
// of an input with 3 x 3 filters and stride 1. The gradient of x also has this form: its input is
// the gradient of y, the filters are rotated by 180 degrees, and input and output channels are
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
  // The first window begins this many rows above the input and this many columns left of the input.
  std::int64_t pad_row, pad_column;
  // The input and the output of the first group of the first image, and the filters of the first
  // group. The pointer `data` of each of them is null.
  Plane in, out;
  Filters filters;
  std::int64_t in_batch, out_batch;                // the distance between two images, in elements
  std::int64_t in_group, out_group, filter_group;  // the distance between two groups, in elements
  // The offset of Filters::data from the first weight of a group, in elements.
  std::int64_t first_tap;
};

// The tiles of a convolution. A tile has m x m outputs.
struct Tiling {
  Tiling(const Geometry& geometry, int m, int lanes, int threads);

  int m;
  // `rows` is the number of tiles below each other, and `columns` the number of tiles beside each
  // other, in an image of the output.
  std::int64_t rows, columns;
  std::int64_t tiles;    // the number of tiles of one group in all images
  std::int64_t at_once;  // the number of tiles that are in the workspace at the same time
  // The numbers of channels and of filters, rounded up to multiples of the lengths in kernels.hpp.
  std::int64_t channels, filters;
  // The number of floats of the transformed filters of one group, of the transformed inputs, and of
  // the products.
  std::int64_t filter_floats, input_floats, product_floats;
};

// Returns why Winograd's method cannot compute the problem. Returns "" if it can.
std::string objection(const Problem& problem);

}  // namespace atc::winograd
