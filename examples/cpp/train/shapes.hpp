// The data set: pictures of four kinds of shapes, drawn at random places with noise.
#pragma once

#include <torch/types.h>

struct Batch {
  torch::Tensor pictures;  // [count, 1, side, side], fp32
  torch::Tensor kinds;     // [count], int64, 0 to kKinds - 1
};

constexpr std::int64_t kKinds = 4;  // the kinds of shapes: square, cross, horizontal and vertical
                                    // stripes

// Draws a batch of pictures. The same seed gives the same batch.
Batch draw_shapes(std::int64_t count, std::int64_t side, std::uint64_t seed);
