// Backward-weight of pointwise convolutions: the arguments of the kernels, and the sizes of their
// data in shared memory. A row is the pixels of one channel of one image.
#pragma once

#include "device/cuda/tensor_map.hpp"

namespace atc::dense {

constexpr int kPointwiseM64 = 64;
constexpr int kPointwiseConsumers = 2;  // the number of warpgroups of a block that multiply
constexpr int kPointwiseConsumerThreads = kPointwiseConsumers * 128;
// The number of threads of a block, with its producer. If tensor maps are used, the producer is a
// warp; otherwise it is a warpgroup.
constexpr int kPointwiseMapThreads = kPointwiseConsumerThreads + 32;
constexpr int kPointwiseCopyThreads = kPointwiseConsumerThreads + 128;
constexpr int kRowBytes = 128;  // the bytes of a row that one stage contains
constexpr int kStepBytes = 32;  // bytes of a row that one wgmma multiplies (K)

struct PointwiseMaps {
  cuda::TensorMap a, b;
};

struct PointwiseWeightGeometry {
  int images = 0;
  // The number of channels of operand A and of operand B.
  int a_rows = 0, b_rows = 0;
  int row_bytes = 0;
  int chunks = 0;  // the number of chunks of a row; a chunk has kRowBytes bytes
  // The number of elements of a row in a chunk.
  int chunk = 0;
  // The number of wgmma steps for a row's last chunk. All other chunks need four steps.
  int tail_steps = 0;
  int a_tiles = 0, b_tiles = 0, splits = 1;
  int stages = 0;
};

// A block computes a tile: pointwise_rows() rows of A by `n` rows of B. pointwise_stage_bytes
// returns the number of bytes that these rows take in a stage. `m64` is the number of m64 tiles of
// a warpgroup (m64: the 64 rows of a wgmma).
constexpr int pointwise_rows(int m64) { return kPointwiseConsumers * m64 * kPointwiseM64; }
constexpr int pointwise_stage_bytes(int m64, int n) {
  return (pointwise_rows(m64) + n) * kRowBytes;
}
// The bytes of the barriers, which are at the beginning of shared memory.
constexpr int kPointwiseBarrierBytes = 1024;

// The output of backward-weight: describes dw, into which a second kernel writes the sums of the
// partials.
struct PointwiseWeightOutput {
  // The distance between two elements of dw, in elements, if they belong to neighbouring rows of A
  // (a_stride) or of B (b_stride).
  long long a_stride = 0, b_stride = 0;
  int tile_rows = 0, tile_columns = 0;  // the size of a tile of partials: rows of A x rows of B
  // The partials of four sums are added by this number of threads, each of which adds some of the
  // splits.
  int sharers = 1;
  int accumulate = 0;
};
constexpr int kPointwiseSumThreads = 256;

}  // namespace atc::dense
