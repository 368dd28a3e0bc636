// The inner loops of Winograd's method, compiled once for each instruction set.
//
// Winograd's method F(m x m, 3 x 3) computes m x m outputs of a 3 x 3 filter g from n x n inputs d,
// where n = m + 2. It needs n x n products, and a direct sum 9 m x m products:
//   Y = A' [(G g G') * (B' d B)] A
// (Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", equation 8; the matrices of
// F(2 x 2, 3 x 3) are in section 4.1, those of F(4 x 4, 3 x 3) in section 4.2). A place is one of
// the n x n elements of a transformed tile. The sum over the channels is computed before the last
// transform. So for each place there is a matrix product of a matrix of filters x channels and a
// matrix of channels x tiles.
//
// The transformed operands are dense:
//   filters   [place][block of 2 x lanes filters][channel][filter of the block]
//   inputs    [place][tile][channel]
//   products  [place][tile][filter]
// Channels are padded to a multiple of `lanes`, filters to a multiple of 2 x lanes.
#pragma once

#include <cstdint>

namespace atc::winograd {

constexpr int inputs_of(int m) { return m + 2; }
constexpr int places_of(int m) { return inputs_of(m) * inputs_of(m); }

// The input or the output of one group of the convolution in one image. Distances are in elements.
struct Plane {
  float* data = nullptr;                             // the data of an input is only read
  std::int64_t channel = 0, row = 0, column = 0;     // distances between neighbours
  std::int64_t channels = 0, rows = 0, columns = 0;  // numbers of channels, rows, columns
};

// The filters of one group. `data` points to the tap (element of a filter) that is multiplied with
// the first row and column of a window. If the filters are rotated by 180 degrees, the distances
// `row` and `column` are negative. Distances are in elements.
struct Filters {
  const float* data = nullptr;
  std::int64_t filter = 0, channel = 0, row = 0, column = 0;
  std::int64_t filters = 0, channels = 0;
};

// The bias and the ReLU that are applied to the output. If `bias` is null, there is no bias.
struct Finish {
  const float* bias = nullptr;
  bool relu = false;
};

struct Kernels {
  int lanes;  // the number of floats in a vector

  // Transforms the channels [first, last) of one block of filters. `block` is the number of the
  // block's first filter. `to` is where the block's first place is written, and `place` is the
  // distance from a place to the next one in floats. Channels and filters that the group does not
  // have are treated as zeros.
  void (*transform_filters)(int m, const Filters& filters, std::int64_t block, std::int64_t first,
                            std::int64_t last, float* to, std::int64_t place);
  // Transforms the channels [first, first + lanes) of the window that begins at (row, column).
  // Outside of the plane the window contains zeros. `to` is where the channel `first` of the tile's
  // first place is written, and `place` is the distance from a place to the next one in floats.
  void (*transform_input)(int m, const Plane& plane, std::int64_t row, std::int64_t column,
                          std::int64_t first, float* to, std::int64_t place);
  // Multiplies one block of filters with `tiles` tiles at one place. `stride` is the distance from
  // a tile to the next one in `products`, in floats.
  void (*multiply)(const float* filters, const float* inputs, float* products, std::int64_t tiles,
                   std::int64_t channels, std::int64_t stride);
  // Transforms the products of one tile with the filters [first, first + lanes) to outputs. `place`
  // is the distance from a place to the next one in `products`, in floats. Writes those outputs of
  // the tile, which begins at (row, column), that are inside of the plane. Returns false if a sum
  // is Inf or NaN.
  bool (*transform_output)(int m, const float* products, std::int64_t place, const Plane& plane,
                           std::int64_t row, std::int64_t column, std::int64_t first,
                           const Finish& finish);
};

extern const Kernels kAvx2, kAvx512;

}  // namespace atc::winograd
