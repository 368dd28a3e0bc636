// The data set of the training example: noisy pictures. Each picture shows one shape of four kinds,
// at a random place.
#pragma once

#include <torch/types.h>

struct Batch {
  torch::Tensor pictures;  // fp32 values with the shape [count, 1, side, side]
  torch::Tensor kinds;     // the kind of shape in each picture: [count], int64, 0 to kKinds - 1
};

// The number of kinds of shapes: square, cross, horizontal stripes, vertical stripes.
constexpr std::int64_t kKinds = 4;

// Draws a batch of pictures. The same seed gives the same batch.
Batch draw_shapes(std::int64_t count, std::int64_t side, std::uint64_t seed);
