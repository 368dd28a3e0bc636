// A convolution as the kernels of Winograd's method see it: a stride-1 correlation of an input with
// 3 x 3 filters. The gradient of the input is one too. There the output's gradient is the input,
// the filters are applied the other way round, and input and output channels change places.
#pragma once

#include <cstdint>
#include <string>

#include "core/problem.hpp"
#include "engines/winograd/kernels.hpp"

namespace atc::winograd {

struct Geometry {
  explicit Geometry(const Problem& problem);

  std::int64_t batch, groups;
  std::int64_t pad_row, pad_column;  // rows above and columns left of the first window
  Plane in, out;                     // of one group in the first batch entry, without an address
  Filters filters;                   // of one group, likewise
  std::int64_t in_batch, out_batch;  // the distances of batch entries, in elements
  std::int64_t in_group, out_group, filter_group;  // and of groups
  std::int64_t first_tap;                          // the distance of Filters::data from the weights
};

// How many tiles of m x m outputs a convolution has, and how they are divided.
struct Tiling {
  Tiling(const Geometry& geometry, int m, int lanes, int threads);

  int m;
  std::int64_t rows, columns;      // tiles of one output plane
  std::int64_t tiles;              // of one group, in the whole batch
  std::int64_t at_once;            // tiles that are in the workspace at the same time
  std::int64_t channels, filters;  // padded
  std::int64_t filter_floats, input_floats, product_floats;  // of the transformed operands
};

// Returns why Winograd's method does not compute the problem; "" if it does.
std::string objection(const Problem& problem);

}  // namespace atc::winograd
