// This kernel computes backward-weight for groups of several channels, and for first layers. It
// uses tensor cores (mma.sync) or, for fp32, FFMA.
//
// The kernel computes:
//   partials[split][group][k][tap, c] = sum over the split's pixels of x[pixel of the tap, c] *
//   dy[pixel, k]
//
// Each group has its own matrix product: M is the elements of a filter (taps x input channels, in
// chunks of 16 bytes), N is output channels, and K is pixels. A block adds up the products of a
// part of the tiles (split-K). A kernel of filters.cu adds the partials.
//
// Contract
//   x, y      dense tensors, aligned to an element. If g.in.vectors (g.out.vectors) is set, x (y)
//             is aligned to 16 bytes. y is the gradient of the outputs
//   partials  fp32
//   refused   as in convolve.cu: groups of more than 256 channels, mixed types
//   assumed   Pixels of padding are zeros. So an Inf or NaN in dy also reaches elements of dw whose
//             tap lies in padding
//
// Shared memory, by offset in bytes
//   0                   a table with the offset of the input of each chunk: 4 bytes for each chunk
//   gradient.zeros_at   16 bytes of zeros, read in place of pixels after the last one
//   gradient.pixels_at  4 bytes for each pixel of a tile: the offset of its first input
//   gradient.out_at     operand B: [pixel][chunk of output channels], pixels of
//                       gradient.out_pitch_bytes
//   g.halo_at           operand A: the tile's input
#include "engines/kernels/implicit/tile.cuh"

namespace atc::implicit {

namespace {

// kM16Tiles is the number of m16 tiles of filter elements that a warp computes. kN8Tiles is the
// number of n8 tiles of output channels of a unit (the channels that a warp computes).
template <Math kMath, int kM16Tiles, int kN8Tiles, bool kPaired>
__device__ __forceinline__ void sum_products(const GradientGeometry& gradient, const void* x,
                                             const void* y, float* partials) {
  constexpr int kWidth = Chunk<kMath>::kWidth;
  // ldmatrix cannot transpose elements of 32 bits, so each lane loads elements of TF32 and fp32 one
  // by one.
  constexpr bool kWords = kMath == Math::tf32 || kMath == Math::fp32;
  const Geometry& g = gradient.g;
  unsigned char* const shared = ptx::dynamic_shared();
  auto* const table = reinterpret_cast<int*>(shared);
  auto* const pixel_at = reinterpret_cast<int*>(shared + gradient.pixels_at);
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;

  unsigned rest = blockIdx.x;
  const auto take = [&](int extent) {
    const unsigned whole = rest / static_cast<unsigned>(extent);
    const auto index = static_cast<int>(rest - whole * static_cast<unsigned>(extent));
    rest = whole;
    return index;
  };
  const int unit_block = take(g.unit_blocks) * g.units;
  const int row_block = take(gradient.row_blocks);
  const int group = take(g.group_blocks) * g.block_groups;
  const auto split = static_cast<int>(rest);
  const Axis &rows = g.rows[0], &columns = g.columns[0];
  const int groups_here = min(g.block_groups, g.groups - group);
  const int chunks = chunks_of(g, rows, columns), elements = chunks * kWidth;
  fill_table(g, rows, columns, chunks, chunks, table);
  if (threadIdx.x < kChunk / 4) reinterpret_cast<int*>(shared + gradient.zeros_at)[threadIdx.x] = 0;
  __syncthreads();

  const int unit = warp % g.block_units, in_block = unit / g.units;
  const int warps = kWarps / g.block_units,
            first_row = row_block * warps * kM16Tiles + warp / g.block_units;
  const int in_at = g.halo_at + (kPaired ? 0 : in_block * g.tap_chunks * kChunk);
  // The first output channel of the unit, counted within its group.
  const int unit_channel = (unit_block + unit - in_block * g.units) * kN8Tiles * 8;
  const int out_at = gradient.out_at + in_block * gradient.out_chunks * kChunk +
                     unit_channel * static_cast<int>(sizeof(Element<kMath>));
  // For each filter element for which this lane loads inputs: the offset in bytes from the first
  // input of a pixel.
  int row_at[kM16Tiles][2];
#pragma unroll
  for (int i = 0; i < kM16Tiles; ++i)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int first = (first_row + i * warps) * (16 / kWidth);
      int chunk = first + (kWords ? half * 2 + lane / 16 : lane / 16);
      // The sums of chunks (16 bytes of K) after the last one are not stored. So for these chunks,
      // the address of chunk 0 is used.
      if (chunk >= chunks) chunk = 0;
      row_at[i][half] = in_at + (table[chunk] & ~1) + (kWords ? lane / 4 % 4 * 4 : 0);
    }

  // The sums of a warp: kM16Tiles * 16 filter elements x kN8Tiles * 8 output channels.
  float accum[kM16Tiles][kN8Tiles][4] = {};
  const int tiles = g.tiles_h * g.tiles_w;
  const long long all = static_cast<long long>(gradient.images) * tiles;
  const auto end = static_cast<int>(all * (split + 1) / gradient.splits);
  for (auto tile = static_cast<int>(all * split / gradient.splits); tile < end; ++tile) {
    // Loads the tile of x with its halo (all inputs that the tile's taps reach), and the tile of
    // dy.
    const int image = tile / tiles, in_image = tile - image * tiles;
    const int tile_row = in_image / g.tiles_w;
    const int top = tile_row * g.tile_h, left = (in_image - tile_row * g.tiles_w) * g.tile_w;
    const int height = min(g.tile_h, rows.outputs - top);
    const int width = min(g.tile_w, columns.outputs - left), pixels = height * width;
    Part part;
    part.top = top * g.step + rows.start;
    part.left = left * g.step + columns.start;
    part.height = (height - 1) * g.step + (rows.taps - 1) * rows.spacing + 1;
    part.width = (width - 1) * g.step + (columns.taps - 1) * columns.spacing + 1;
    part.groups = groups_here;
    part.group_channels = g.group_in;
    part.group_chunks = g.tap_chunks;
    part.row_pitch_bytes = g.row_pitch_bytes;
    part.pixel_pitch_bytes = g.pixel_pitch_bytes;
    const Element<kMath>* const in = static_cast<const Element<kMath>*>(x) + image * g.in.image +
                                     static_cast<long long>(group * g.group_in) * g.in.channel;
    if constexpr (kPaired)
      load_pairs<kMath>(g.in, part, in, g.shifted_copy_bytes, shared + g.halo_at);
    else
      load<kMath>(g.in, part, in, shared + g.halo_at);
    Part outputs;
    outputs.top = top;
    outputs.left = left;
    outputs.height = height;
    outputs.width = width;
    outputs.groups = groups_here;
    outputs.group_channels = g.group_out;
    outputs.group_chunks = gradient.out_chunks;
    outputs.pixel_pitch_bytes = gradient.out_pitch_bytes;
    outputs.row_pitch_bytes = width * gradient.out_pitch_bytes;
    load<kMath>(g.out, outputs,
                static_cast<const Element<kMath>*>(y) + image * g.out.image +
                    static_cast<long long>(group * g.group_out) * g.out.channel,
                shared + gradient.out_at);
    ptx::cp_async_commit_group();
    for (int i = static_cast<int>(threadIdx.x); i < pixels; i += kThreads)
      pixel_at[i] = offset_of(g, i / width, i % width);
    ptx::cp_async_wait_group<0>();
    if constexpr (!kPaired) finish_load<kMath>(g.in, part, shared + g.halo_at);
    finish_load<kMath>(g.out, outputs, shared + gradient.out_at);
    __syncthreads();

    // The products of all pixels of the tile. The number of pixels (K) is rounded up to that of a
    // whole mma: pixels after the last one are zeros in both operands.
    if constexpr (kMath == Math::fp32) {
      const auto value = [&](int at) { return *reinterpret_cast<const float*>(shared + at); };
      for (int pixel = 0; pixel < pixels; ++pixel) {
        const int at = pixel_at[pixel];
        float2 b[kN8Tiles];
#pragma unroll
        for (int k = 0; k < kN8Tiles; ++k)
          b[k] = *reinterpret_cast<const float2*>(
              shared + out_at + pixel * gradient.out_pitch_bytes + (k * 8 + lane % 4 * 2) * 4);
#pragma unroll
        for (int i = 0; i < kM16Tiles; ++i)
#pragma unroll
          for (int half = 0; half < 2; ++half) {
            const float a = value(at + row_at[i][half]);
#pragma unroll
            for (int k = 0; k < kN8Tiles; ++k) {
              accum[i][k][half * 2] = fmaf(a, b[k].x, accum[i][k][half * 2]);
              accum[i][k][half * 2 + 1] = fmaf(a, b[k].y, accum[i][k][half * 2 + 1]);
            }
          }
      }
    } else if constexpr (kWords) {
      const auto word = [&](int at) { return *reinterpret_cast<const unsigned*>(shared + at); };
      for (int first = 0; first < pixels; first += 8) {
        unsigned b[kN8Tiles][2];
        int at[2];
        bool valid[2];
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const int pixel = first + half * 4 + lane % 4;
          valid[half] = pixel < pixels;
          at[half] = valid[half] ? pixel_at[pixel] : 0;
#pragma unroll
          for (int i = 0; i < kN8Tiles; ++i)
            b[i][half] = word(valid[half] ? out_at + pixel * gradient.out_pitch_bytes +
                                                (i * 8 + lane / 4) * 4
                                          : gradient.zeros_at);
        }
#pragma unroll
        for (int i = 0; i < kM16Tiles; ++i) {
          unsigned a[4];
#pragma unroll
          for (int k = 0; k < 4; ++k)
            a[k] = word(valid[k / 2] ? at[k / 2] + row_at[i][k % 2] : gradient.zeros_at);
#pragma unroll
          for (int k = 0; k < kN8Tiles; ++k)
            ptx::mma_sync_m16n8<kOperandType<kMath>>(accum[i][k], a, b[k][0], b[k][1]);
        }
      }
    } else {
      const unsigned base = ptx::shared_address(shared);
      const unsigned zeros = base + static_cast<unsigned>(gradient.zeros_at);
      for (int first = 0; first < pixels; first += 16) {
        const int pixel = first + lane % 16;
        const bool valid = pixel < pixels;
        const int at = valid ? pixel_at[pixel] : 0;
        unsigned b[(kN8Tiles + 1) / 2][4];
#pragma unroll
        for (int i = 0; i < (kN8Tiles + 1) / 2; ++i)
          ptx::ldmatrix_x4_trans(
              b[i], valid ? base + static_cast<unsigned>(out_at + pixel * gradient.out_pitch_bytes +
                                                         (i * 2 + lane / 16) * kChunk)
                          : zeros);
#pragma unroll
        for (int i = 0; i < kM16Tiles; ++i) {
          unsigned loaded[4];
          ptx::ldmatrix_x4_trans(loaded,
                                 valid ? base + static_cast<unsigned>(at + row_at[i][0]) : zeros);
          const unsigned a[4] = {loaded[0], loaded[2], loaded[1], loaded[3]};
#pragma unroll
          for (int k = 0; k < kN8Tiles; ++k)
            ptx::mma_sync_m16n8<kOperandType<kMath>>(accum[i][k], a, b[k / 2][k % 2 * 2],
                                                     b[k / 2][k % 2 * 2 + 1]);
        }
      }
    }
    __syncthreads();
  }

  // Epilogue: writes the accumulators to the partials of this block's split.
  if (in_block >= groups_here) return;
  partials +=
      (static_cast<long long>(split) * g.groups + group + in_block) * g.group_out * elements;
#pragma unroll
  for (int i = 0; i < kM16Tiles; ++i)
#pragma unroll
    for (int k = 0; k < kN8Tiles; ++k)
#pragma unroll
      for (int part = 0; part < 4; ++part) {
        const int element = (first_row + i * warps) * 16 + part / 2 * 8 + lane / 4;
        const int channel = unit_channel + k * 8 + lane % 4 * 2 + part % 2;
        if (element < elements && channel < g.group_out)
          partials[static_cast<long long>(channel) * elements + element] = accum[i][k][part];
      }
}

}  // namespace

// The kernels' names are atc_implicit_gradient_<math>_<kM16Tiles>x<kN8Tiles>, followed by _pairs if
// a chunk has the channels of two taps.
#define ATC_IMPLICIT(name, math, rows, tiles, paired)                                             \
  extern "C" __global__ void __launch_bounds__(kThreads, 2) atc_implicit_gradient_##name(         \
      const __grid_constant__ GradientGeometry g, const void* x, const void* y, void* partials) { \
    enable_sm80_or_later([&] {                                                                    \
      sum_products<Math::math, rows, tiles, paired>(g, x, y, static_cast<float*>(partials));      \
    });                                                                                           \
  }
#define ATC_IMPLICIT_OF(math)                 \
  ATC_IMPLICIT(math##_5x1, math, 5, 1, false) \
  ATC_IMPLICIT(math##_5x2, math, 5, 2, false) \
  ATC_IMPLICIT(math##_5x3, math, 5, 3, false) \
  ATC_IMPLICIT(math##_5x4, math, 5, 4, false)
#define ATC_IMPLICIT_PAIRS_OF(math)                \
  ATC_IMPLICIT(math##_5x3_pairs, math, 5, 3, true) \
  ATC_IMPLICIT(math##_5x4_pairs, math, 5, 4, true)

ATC_IMPLICIT_OF(f16)
ATC_IMPLICIT_OF(bf16)
ATC_IMPLICIT_OF(tf32)
ATC_IMPLICIT_OF(fp32)
ATC_IMPLICIT_PAIRS_OF(f16)
ATC_IMPLICIT_PAIRS_OF(bf16)

#undef ATC_IMPLICIT
#undef ATC_IMPLICIT_OF
#undef ATC_IMPLICIT_PAIRS_OF

}  // namespace atc::implicit
