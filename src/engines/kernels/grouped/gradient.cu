// This kernel computes backward-weight for groups of several channels, on tensor cores (mma.sync).
//
// The kernel computes:
//   partials[split][group][k][tap, c] = sum over the split's pixels of x[pixel of the tap, c] *
//   dy[pixel, k]
//
// Each group has its own matrix product: M is the elements of a filter (taps x input channels, in
// chunks of 16 bytes), N is output channels, and K is pixels. A block adds up the products of a
// part of the tiles (split-K). While a tile is multiplied, the next tile is copied. A kernel of
// implicit/filters.cu adds the partials.
//
// Contract
//   x, y      dense tensors, aligned to 16 bytes; y is the gradient of the outputs. With channels
//             last, the channels of a group are a whole number of chunks
//   partials  fp32
//   refused   as in stream.cu: one group, fp32 without TF32, groups of too many channels
//   assumed   Pixels of padding are zeros. So an Inf or NaN in dy also reaches elements of dw whose
//             tap lies in padding
//
// Shared memory, by offset in bytes
//   s.sum.zeros_at      16 bytes of zeros, read in place of pixels after the last one
//   s.x.at, s.y.at      operands A and B: [pixel][chunk]; with channels last, two stages
//   s.x.raw_at, s.y.raw_at   channels first: the next tile as it is in device memory
#include "engines/kernels/grouped/input.cuh"

namespace atc::grouped {

namespace {

// kM16Tiles is the number of m16 tiles of filter elements that a warp computes. kN8Tiles is the
// number of n8 tiles of output channels of a unit (the channels that a warp computes).
template <Math kMath, int kM16Tiles, int kN8Tiles, bool kChannelsFirst>
__device__ __forceinline__ void sum_products(const GradientStream& s, const void* x, const void* y,
                                             float* partials) {
  constexpr int kWidth = Chunk<kMath>::kWidth;
  // ldmatrix cannot transpose elements of 32 bits, so each lane loads elements of TF32 one by one.
  constexpr bool kWords = kMath == Math::tf32;
  const Geometry& g = s.sum.g;
  unsigned char* const shared = ptx::dynamic_shared();
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int split = static_cast<int>(blockIdx.x) / g.group_blocks;
  const int group = (static_cast<int>(blockIdx.x) - split * g.group_blocks) * g.block_groups;
  const int groups_here = min(g.block_groups, g.groups - group);
  const Axis &rows = g.rows[0], &columns = g.columns[0];
  const int chunks = implicit::chunks_of(g, rows, columns), elements = chunks * kWidth;
  const Input<kMath, kChannelsFirst> inputs(s.x, x, s.sum.images, group, groups_here, shared);
  const Input<kMath, kChannelsFirst> outputs(s.y, y, s.sum.images, group, groups_here, shared);
  if (threadIdx.x < kChunk / 4) reinterpret_cast<int*>(shared + s.sum.zeros_at)[threadIdx.x] = 0;

  const int unit = warp % g.block_units, in_block = unit / g.units;
  const int warps = kWarps / g.block_units, first_row = warp / g.block_units;
  const bool busy = in_block < groups_here;
  // The first output channel of the unit, counted within its group.
  const int unit_channel = (unit - in_block * g.units) * kN8Tiles * 8;
  // row_at: for each filter element for which this lane loads inputs, the offset in bytes from the
  // first input of a pixel. out_at: the offset in bytes from the first output of a pixel to the
  // channels of the warp's unit.
  int row_at[kM16Tiles][2];
#pragma unroll
  for (int i = 0; i < kM16Tiles; ++i)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      int chunk = (first_row + i * warps) * (16 / kWidth) + (kWords ? half * 2 : 0) + lane / 16;
      if (chunk >= chunks)
        // The sums of this chunk are not stored, so any valid address may be read.
        chunk = 0;
      const int tap = chunk / g.tap_chunks, r = tap / columns.taps;
      row_at[i][half] = s.x.at + (in_block * g.tap_chunks + chunk - tap * g.tap_chunks) * kChunk +
                        r * rows.spacing * s.x.row_pitch_bytes +
                        (tap - r * columns.taps) * columns.spacing * s.x.pixel_pitch_bytes +
                        (kWords ? lane / 4 % 4 * 4 : 0);
    }
  const int out_at = s.y.at + in_block * s.y.chunks * kChunk +
                     unit_channel * static_cast<int>(sizeof(Element<kMath>));

  const int tiles = g.tiles_h * g.tiles_w, items = s.sum.images * tiles;
  // outputs_of returns the rectangle of outputs of a tile. inputs_of returns the rectangle of x
  // that these outputs read.
  const auto outputs_of = [&](int item) {
    Region part;
    const int across = item / g.tiles_w, image = across / g.tiles_h;
    part.image = image;
    part.top = (across - image * g.tiles_h) * g.tile_h;
    part.left = (item - across * g.tiles_w) * g.tile_w;
    part.height = min(g.tile_h, rows.outputs - part.top);
    part.width = min(g.tile_w, columns.outputs - part.left);
    return part;
  };
  const auto inputs_of = [&](const Region& of) {
    Region part;
    part.image = of.image;
    part.top = of.top * g.step + rows.start;
    part.left = of.left * g.step + columns.start;
    part.height = s.halo_h - (g.tile_h - of.height) * g.step;
    part.width = s.halo_w - (g.tile_w - of.width) * g.step;
    return part;
  };
  const auto start = [&](int item, int stage) {
    const Region part = outputs_of(item);
    inputs.start(inputs_of(part), stage);
    outputs.start(part, stage);
  };

  // The sums of a warp: kM16Tiles * 16 filter elements x kN8Tiles * 8 output channels.
  float accum[kM16Tiles][kN8Tiles][4] = {};
  int stage = 0;
  if (split < items) start(split, 0);
  for (int item = split; item < items; item += s.sum.splits) {
    // Waits for the copies of this tile and makes operands A and B from them. Then starts to copy
    // the next tile.
    const Region here = outputs_of(item);
    ptx::cp_async_wait_group<0>();
    if constexpr (kChannelsFirst) __syncthreads();
    inputs.finish(inputs_of(here), stage);
    outputs.finish(here, stage);
    __syncthreads();
    const int x_stage = stage * s.x.turn_bytes, y_at = out_at + stage * s.y.turn_bytes;
    if (item + s.sum.splits < items) {
      if constexpr (!kChannelsFirst) stage ^= 1;
      start(item + s.sum.splits, stage);
    }
    if (!busy) continue;

    const int pixels = here.height * here.width;
    // The quotient pixel / width is computed as pixel * inverse >> 20. This is exact, because
    // pixels * width is below 2^20 (kMostTile in plan.cpp).
    const unsigned inverse = (1u << 20) / static_cast<unsigned>(here.width) + 1;
    // The offset of a pixel in x is pixel * x_column + row * x_row. x_column is the number of bytes
    // from a pixel's input to the input of the next pixel of the row. x_row and y_row are the bytes
    // to add for each new row.
    const int x_column = g.step * s.x.pixel_pitch_bytes;
    const int x_row = g.step * s.x.row_pitch_bytes - here.width * x_column;
    const int y_row = s.y.row_pitch_bytes - here.width * s.y.pixel_pitch_bytes;
    const auto row_of = [&](int pixel) {
      return static_cast<int>(static_cast<unsigned>(pixel) * inverse >> 20);
    };
    // The products of the tile. The number of pixels (K) is rounded up to that of a whole mma:
    // pixels after the last one are zeros in both operands.
    if constexpr (kWords) {
      const auto word = [&](int at) { return *reinterpret_cast<const unsigned*>(shared + at); };
      for (int first = 0; first < pixels; first += 8) {
        unsigned b[kN8Tiles][2];
        int at[2];
        bool valid[2];
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const int pixel = first + half * 4 + lane % 4, row = row_of(pixel);
          valid[half] = pixel < pixels;
          at[half] = x_stage + pixel * x_column + row * x_row;
          const int y_pixel = y_at + pixel * s.y.pixel_pitch_bytes + row * y_row + lane / 4 * 4;
#pragma unroll
          for (int i = 0; i < kN8Tiles; ++i)
            b[i][half] = word(valid[half] ? y_pixel + i * 32 : s.sum.zeros_at);
        }
        unsigned a[kM16Tiles][4];
#pragma unroll
        for (int i = 0; i < kM16Tiles; ++i)
#pragma unroll
          for (int k = 0; k < 4; ++k)
            a[i][k] = word(valid[k / 2] ? at[k / 2] + row_at[i][k % 2] : s.sum.zeros_at);
#pragma unroll
        for (int i = 0; i < kM16Tiles; ++i)
#pragma unroll
          for (int k = 0; k < kN8Tiles; ++k)
            ptx::mma_sync_m16n8<kOperandType<kMath>>(accum[i][k], a[i], b[k][0], b[k][1]);
      }
    } else {
      const unsigned base = ptx::shared_address(shared);
      const unsigned zeros = base + static_cast<unsigned>(s.sum.zeros_at);
      for (int first = 0; first < pixels; first += 16) {
        const int pixel = first + lane % 16, row = row_of(pixel);
        const bool valid = pixel < pixels;
        const int at = x_stage + pixel * x_column + row * x_row;
        const int y_pixel = y_at + pixel * s.y.pixel_pitch_bytes + row * y_row + lane / 16 * kChunk;
        unsigned b[(kN8Tiles + 1) / 2][4], a[kM16Tiles][4];
#pragma unroll
        for (int i = 0; i < (kN8Tiles + 1) / 2; ++i)
          ptx::ldmatrix_x4_trans(
              b[i], valid ? base + static_cast<unsigned>(y_pixel + i * 2 * kChunk) : zeros);
#pragma unroll
        for (int i = 0; i < kM16Tiles; ++i)
          ptx::ldmatrix_x4_trans(a[i],
                                 valid ? base + static_cast<unsigned>(at + row_at[i][0]) : zeros);
#pragma unroll
        for (int i = 0; i < kM16Tiles; ++i) {
          const unsigned a_fragment[4] = {a[i][0], a[i][2], a[i][1], a[i][3]};
#pragma unroll
          for (int k = 0; k < kN8Tiles; ++k)
            ptx::mma_sync_m16n8<kOperandType<kMath>>(accum[i][k], a_fragment, b[k / 2][k % 2 * 2],
                                                     b[k / 2][k % 2 * 2 + 1]);
        }
      }
    }
  }

  // Epilogue: writes the accumulators to the partials of this block's split.
  if (!busy) return;
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

// The kernels' names are atc_grouped_gradient_<layout>_<math>_<kM16Tiles>x<kN8Tiles>.
#define ATC_GROUPED(layout, first, math, rows, tiles)                                       \
  extern "C" __global__ void __launch_bounds__(kThreads, 2)                                 \
      atc_grouped_gradient_##layout##_##math##_##rows##x##tiles(                            \
          const __grid_constant__ GradientStream g, const void* x, const void* y,           \
          void* partials) {                                                                 \
    enable_sm80_or_later([&] {                                                              \
      sum_products<Math::math, rows, tiles, first>(g, x, y, static_cast<float*>(partials)); \
    });                                                                                     \
  }
#define ATC_GROUPED_OF(math)           \
  ATC_GROUPED(first, true, math, 5, 1) \
  ATC_GROUPED(first, true, math, 5, 2) \
  ATC_GROUPED(first, true, math, 5, 3) \
  ATC_GROUPED(first, true, math, 5, 4) \
  ATC_GROUPED(last, false, math, 5, 1) \
  ATC_GROUPED(last, false, math, 5, 2) \
  ATC_GROUPED(last, false, math, 5, 3) \
  ATC_GROUPED(last, false, math, 5, 4)

ATC_GROUPED_OF(f16)
ATC_GROUPED_OF(bf16)
ATC_GROUPED_OF(tf32)

#undef ATC_GROUPED
#undef ATC_GROUPED_OF

}  // namespace atc::grouped
