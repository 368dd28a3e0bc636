// Gradients of weights of pointwise convolutions: sizes and places in shared memory. A row is the
// pixels of one channel of one image.
#pragma once

#include "device/cuda/tensor_map.hpp"

namespace atc::dense {

constexpr int kPointwiseM64 = 64;
constexpr int kPointwiseConsumers = 2;  // warpgroups
constexpr int kPointwiseConsumerThreads = kPointwiseConsumers * 128;
// Producers: a warp if the copy engine copies (tensor maps), otherwise a warpgroup.
constexpr int kPointwiseMapThreads = kPointwiseConsumerThreads + 32;
constexpr int kPointwiseCopyThreads = kPointwiseConsumerThreads + 128;
constexpr int kRowBytes = 128;  // of a row in a stage
constexpr int kStepBytes = 32;  // of a row, in one wgmma

struct PointwiseMaps {
  cuda::TensorMap a, b;
};

struct PointwiseWeightGeometry {
  int images = 0;
  int a_rows = 0, b_rows = 0;  // channels of the operands
  int row_bytes = 0;
  int chunks = 0;      // of kRowBytes, of a row
  int chunk = 0;       // elements of a chunk
  int tail_steps = 0;  // steps of the last chunk of a row; the others have four
  int a_tiles = 0, b_tiles = 0, splits = 1;
  int stages = 0;
};

// The tile of a block: 128 * kM64 rows of A, kN rows of B.
constexpr int pointwise_rows(int m64) { return kPointwiseConsumers * m64 * kPointwiseM64; }
constexpr int pointwise_stage_bytes(int m64, int n) {
  return (pointwise_rows(m64) + n) * kRowBytes;
}
constexpr int kPointwiseBarrierBytes = 1024;  // at the beginning of shared memory

// Where the sums go.
struct PointwiseWeightOutput {
  long long a_stride = 0, b_stride = 0;  // elements of w from one row of an operand to the next
  int tile_rows = 0, tile_columns = 0;   // of a tile of partials
  int sharers = 1;                       // threads that share the splits of four sums
  int accumulate = 0;
};
constexpr int kPointwiseSumThreads = 256;

}  // namespace atc::dense
