// This kernel computes backward-weight for groups of many channels of 16 bits, by wgmma. It needs
// compute capability 9.0a.
//
// The kernel computes:
//   partials[split][group][k][tap, c] = sum over the split's positions of x[position + tap, c] *
//   dy[position, k]
//
// Each tap of a group has its own matrix product: M is 64 input channels, N is output channels, and
// K is positions of a raster (raster.hpp). A block adds up the products of a part of the tiles
// (split-K), for some taps of one group. While a tile is multiplied, the next tile is copied. The
// kernel sum_raster of filters.cu adds the partials.
//
// Contract
//   x, y      dense tensors, aligned to an element. If g.in.vectors (g.out.vectors) is set, x (y)
//             is aligned to 16 bytes. y is the gradient of the outputs
//   partials  fp32
//   refused   TF32, fp32, and groups that docs/engines.md does not list for wgmma
//             (raster_plan.cpp)
//   assumed   Positions without a pixel are zeros. A zero times an Inf or NaN makes the sum NaN.
//             The kernel that adds the partials computes each sum that is NaN again
//
// Shared memory, by offset in bytes
//   s.tiles_at     operand A: two stages of gradient.x_bytes, [chunk][position][16 bytes]
//   gradient.y_at  operand B: two stages of gradient.y_bytes, [chunk][position][16 bytes]
#include "engines/kernels/implicit/raster.cuh"
#include "engines/kernels/implicit/wgmma.cuh"

namespace atc::implicit {

namespace {

// kM64Tiles is the number of m64 tiles whose sums a warpgroup accumulates. Each m64 tile is 64
// input channels of one tap. kN is the number of output channels of a group, rounded up.
template <Math kMath, int kM64Tiles, int kN>
__device__ __forceinline__ void sum_products(const RasterGradient& gradient, const void* x,
                                             const void* y, float* partials) {
  using Value = Element<kMath>;
  const RasterGeometry& s = gradient.s;
  const Geometry& g = s.g;
  unsigned char* const shared = ptx::dynamic_shared();
  const unsigned base = ptx::shared_address(shared);
  const int thread = static_cast<int>(threadIdx.x), warpgroup = thread / kWarpgroup;

  unsigned rest = blockIdx.x;
  const auto take = [&](int extent) {
    const unsigned whole = rest / static_cast<unsigned>(extent);
    const auto index = static_cast<int>(rest - whole * static_cast<unsigned>(extent));
    rest = whole;
    return index;
  };
  const int first_sum = (take(gradient.sum_blocks) * kMultipliers + warpgroup) * kM64Tiles;
  const int group = take(g.groups);
  const auto split = static_cast<int>(rest);
  const Axis &rows = g.rows[0], &columns = g.columns[0];

  // Fills shared memory with zeros, because the products also read bytes that no copy writes.
  const int bytes = gradient.y_at + 2 * gradient.y_bytes;
  for (int i = thread * kChunk; i < bytes; i += kThreads * kChunk)
    *reinterpret_cast<uint4*>(shared + i) = make_uint4(0, 0, 0, 0);
  __syncthreads();

  const auto* const inputs =
      static_cast<const Value*>(x) + static_cast<long long>(group * g.group_in) * g.in.channel;
  const auto* const outputs =
      static_cast<const Value*>(y) + static_cast<long long>(group * g.group_out) * g.out.channel;
  // The whole rectangle of a tile is always loaded. If a tile extends beyond the image, its pixels
  // outside of the image become zeros.
  const auto start = [&](int item, int stage) {
    Tile tile = tile_at(s, rows, columns, item);
    tile.height = g.tile_h;
    tile.width = g.tile_w;
    load<kMath>(g.in, input_of(s, rows, columns, tile), inputs + tile.image * g.in.image,
                shared + s.tiles_at + stage * gradient.x_bytes);
    Part part;
    part.top = tile.top;
    part.left = tile.left;
    part.height = tile.height;
    part.width = tile.width;
    part.groups = 1;
    part.group_channels = g.group_out;
    part.group_chunks = (g.group_out + Chunk<kMath>::kWidth - 1) / Chunk<kMath>::kWidth;
    part.row_pitch_bytes = s.row_positions * kChunk;
    part.pixel_pitch_bytes = kChunk;
    part.chunk_pitch = gradient.y_positions * kChunk;
    load<kMath>(g.out, part, outputs + tile.image * g.out.image,
                shared + gradient.y_at + stage * gradient.y_bytes);
    ptx::cp_async_commit_group();
  };

  // Operand A: the shared-memory descriptors of this warpgroup's m64 tiles. The last warpgroup may
  // have more accumulators than m64 tiles. A spare accumulator gets the descriptor of the first m64
  // tile, and its sums are not stored.
  std::uint64_t first[kM64Tiles];
#pragma unroll
  for (int i = 0; i < kM64Tiles; ++i) {
    const int sum = first_sum + i < gradient.sums ? first_sum + i : 0;
    const int tap = sum / gradient.row_parts, part = sum - tap * gradient.row_parts;
    const int r = tap / columns.taps;
    const int at = tap_positions(s, r * rows.spacing, (tap - r * columns.taps) * columns.spacing) +
                   part * (kRows / Chunk<kMath>::kWidth) * s.chunk_positions;
    first[i] = make_transposed_smem_descriptor(
        base + static_cast<unsigned>(s.tiles_at + at * kChunk), s.chunk_positions * kChunk);
  }
  const std::uint64_t second = make_transposed_smem_descriptor(
      base + static_cast<unsigned>(gradient.y_at), gradient.y_positions * kChunk);

  // The sums of a warpgroup: kM64Tiles * 64 input channels x kN output channels.
  float accum[kM64Tiles][kN / 2] = {};
  const long long all = static_cast<long long>(s.images) * g.tiles_h * g.tiles_w;
  const auto begin = static_cast<int>(all * split / gradient.splits);
  const auto end = static_cast<int>(all * (split + 1) / gradient.splits);
  const bool in_background = g.in.vectors && g.out.vectors;
  int stage = 0;
  if (begin < end) start(begin, 0);
  for (int item = begin; item < end; ++item) {
    ptx::cp_async_wait_group<0>();
    ptx::fence_proxy_async();
    __syncthreads();
    const auto x_stage = static_cast<unsigned>(stage * gradient.x_bytes / kChunk);
    const auto y_stage = static_cast<unsigned>(stage * gradient.y_bytes / kChunk);
    stage ^= 1;
    // The products of the tile before have read the other stage. Copies of vectors run in the
    // background. Other loads wait for memory, so the tensor cores get their work first.
    if (item + 1 < end && in_background) start(item + 1, stage);
#pragma unroll 1
    for (int position = 0; position < gradient.depth; position += 16) {
      ptx::wgmma_fence();
#pragma unroll
      for (int i = 0; i < kM64Tiles; ++i)
        wgmma_mma_async_ss<kOperandType<kMath>, kN, true>(
            accum[i], first[i] + x_stage + static_cast<unsigned>(position),
            second + y_stage + static_cast<unsigned>(position));
      ptx::wgmma_commit_group();
    }
    if (item + 1 < end && !in_background) start(item + 1, stage);
    ptx::wgmma_wait_group<0>();
  }

  // Epilogue: writes the accumulators to the partials of this block's split.
  const int elements = chunks_of(g, rows, columns) * Chunk<kMath>::kWidth;
  const int lane = thread % 32, row = thread % kWarpgroup / 32 * 16 + lane / 4;
  partials += (static_cast<long long>(split) * g.groups + group) * g.group_out * elements;
  const int in_tap = g.tap_chunks * Chunk<kMath>::kWidth;
#pragma unroll
  for (int i = 0; i < kM64Tiles; ++i) {
    const int sum = first_sum + i;
    if (sum >= gradient.sums) break;
    const int tap = sum / gradient.row_parts, part = sum - tap * gradient.row_parts;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int channel = part * kRows + row + half * 8;
      if (channel >= in_tap) continue;
      float* const to = partials + tap * in_tap + channel;
#pragma unroll
      for (int j = 0; j < kN / 8; ++j)
#pragma unroll
        for (int side = 0; side < 2; ++side) {
          const int column = j * 8 + lane % 4 * 2 + side;
          if (column < g.group_out)
            to[static_cast<long long>(column) * elements] = accum[i][j * 4 + half * 2 + side];
        }
    }
  }
}

}  // namespace

// The kernels' names are atc_implicit_raster_gradient_<math>_<kM64Tiles>x<kN>.
#define ATC_IMPLICIT(math, accum, columns)                                            \
  extern "C" __global__ void __launch_bounds__(kThreads, 1)                           \
      atc_implicit_raster_gradient_##math##_##accum##x##columns(                      \
          const __grid_constant__ RasterGradient g, const void* x, const void* y,     \
          void* partials) {                                                           \
    sum_products<Math::math, accum, columns>(g, x, y, static_cast<float*>(partials)); \
  }
#define ATC_IMPLICIT_OF(math) \
  ATC_IMPLICIT(math, 6, 64)   \
  ATC_IMPLICIT(math, 3, 112)  \
  ATC_IMPLICIT(math, 3, 128)

ATC_IMPLICIT_OF(f16)
ATC_IMPLICIT_OF(bf16)

#undef ATC_IMPLICIT
#undef ATC_IMPLICIT_OF

}  // namespace atc::implicit
