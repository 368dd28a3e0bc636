// The gradient of filters of small groups. M is the elements of a filter's chunks, N the output
// channels, and K the pixels. A block iterates over a share of all tiles, and copies the next tile
// while one is multiplied. The parts are added in order afterwards.
#include "engines/kernels/grouped/input.cuh"

namespace atc::grouped {

namespace {

// kRows: m16 tiles of filter elements of a warp; kTiles: n8 tiles of output channels of a unit.
template <Math kMath, int kRows, int kTiles, bool kFirst>
__device__ __forceinline__ void sum_products(const GradientStream& s, const void* x, const void* y,
                                             float* parts) {
  constexpr int kWidth = Chunk<kMath>::kWidth;
  // There is no transposed ldmatrix for elements of 32 bits, so their words are loaded one by one.
  constexpr bool kWords = kMath == Math::tf32;
  const Geometry& g = s.sum.g;
  unsigned char* const shared = ptx::dynamic_shared();
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int split = static_cast<int>(blockIdx.x) / g.group_blocks;
  const int group = (static_cast<int>(blockIdx.x) - split * g.group_blocks) * g.block_groups;
  const int groups_here = min(g.block_groups, g.groups - group);
  const Axis &rows = g.rows[0], &columns = g.columns[0];
  const int chunks = implicit::chunks_of(g, rows, columns), elements = chunks * kWidth;
  const Input<kMath, kFirst> inputs(s.x, x, s.sum.images, group, groups_here, shared);
  const Input<kMath, kFirst> outputs(s.y, y, s.sum.images, group, groups_here, shared);
  if (threadIdx.x < kChunk / 4) reinterpret_cast<int*>(shared + s.sum.zeros_at)[threadIdx.x] = 0;

  const int unit = warp % g.block_units, in_block = unit / g.units;
  const int warps = kWarps / g.block_units, first_row = warp / g.block_units;
  const bool busy = in_block < groups_here;
  const int unit_channel = (unit - in_block * g.units) * kTiles * 8;  // of its group
  // Offsets from a pixel's first input to this lane's elements of the chunks. out_at: offset from a
  // pixel's first output to the channels of its unit.
  int row_at[kRows][2];
#pragma unroll
  for (int i = 0; i < kRows; ++i)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      int chunk = (first_row + i * warps) * (16 / kWidth) + (kWords ? half * 2 : 0) + lane / 16;
      if (chunk >= chunks) chunk = 0;  // any: its sums are not stored
      const int tap = chunk / g.tap_chunks, r = tap / columns.taps;
      row_at[i][half] = s.x.at + (in_block * g.tap_chunks + chunk - tap * g.tap_chunks) * kChunk +
                        r * rows.spacing * s.x.row_pitch +
                        (tap - r * columns.taps) * columns.spacing * s.x.pixel_pitch +
                        (kWords ? lane / 4 % 4 * 4 : 0);
    }
  const int out_at = s.y.at + in_block * s.y.chunks * kChunk +
                     unit_channel * static_cast<int>(sizeof(Element<kMath>));

  const int tiles = g.tiles_h * g.tiles_w, items = s.sum.images * tiles;
  // The regions of a tile's outputs and of their input.
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
  const auto start = [&](int item, int turn) {
    const Region part = outputs_of(item);
    inputs.start(inputs_of(part), turn);
    outputs.start(part, turn);
  };

  float sums[kRows][kTiles][4] = {};
  int turn = 0;
  if (split < items) start(split, 0);
  for (int item = split; item < items; item += s.sum.splits) {
    const Region here = outputs_of(item);
    ptx::wait_async<0>();
    if constexpr (kFirst) __syncthreads();
    inputs.finish(inputs_of(here), turn);
    outputs.finish(here, turn);
    __syncthreads();
    const int x_turn = turn * s.x.turn_bytes, y_at = out_at + turn * s.y.turn_bytes;
    if (item + s.sum.splits < items) {
      if constexpr (!kFirst) turn ^= 1;
      start(item + s.sum.splits, turn);
    }
    if (!busy) continue;

    const int pixels = here.height * here.width;
    // For quotients by the width: pixels * width is below 2^20.
    const unsigned inverse = (1u << 20) / static_cast<unsigned>(here.width) + 1;
    // Bytes from a pixel to the next, and bytes that each new row adds.
    const int x_column = g.step * s.x.pixel_pitch;
    const int x_row = g.step * s.x.row_pitch - here.width * x_column;
    const int y_row = s.y.row_pitch - here.width * s.y.pixel_pitch;
    const auto row_of = [&](int pixel) {
      return static_cast<int>(static_cast<unsigned>(pixel) * inverse >> 20);
    };
    // Beyond the last pixel both factors are zero.
    if constexpr (kWords) {
      const auto word = [&](int at) { return *reinterpret_cast<const unsigned*>(shared + at); };
      for (int first = 0; first < pixels; first += 8) {
        unsigned b[kTiles][2];
        int at[2];
        bool real[2];
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const int pixel = first + half * 4 + lane % 4, row = row_of(pixel);
          real[half] = pixel < pixels;
          at[half] = x_turn + pixel * x_column + row * x_row;
          const int y_pixel = y_at + pixel * s.y.pixel_pitch + row * y_row + lane / 4 * 4;
#pragma unroll
          for (int i = 0; i < kTiles; ++i)
            b[i][half] = word(real[half] ? y_pixel + i * 32 : s.sum.zeros_at);
        }
        unsigned a[kRows][4];
#pragma unroll
        for (int i = 0; i < kRows; ++i)
#pragma unroll
          for (int k = 0; k < 4; ++k)
            a[i][k] = word(real[k / 2] ? at[k / 2] + row_at[i][k % 2] : s.sum.zeros_at);
#pragma unroll
        for (int i = 0; i < kRows; ++i)
#pragma unroll
          for (int k = 0; k < kTiles; ++k)
            ptx::multiply_add<kFactors<kMath>>(sums[i][k], a[i], b[k][0], b[k][1]);
      }
    } else {
      const unsigned base = ptx::shared_address(shared);
      const unsigned zeros = base + static_cast<unsigned>(s.sum.zeros_at);
      for (int first = 0; first < pixels; first += 16) {
        const int pixel = first + lane % 16, row = row_of(pixel);
        const bool real = pixel < pixels;
        const int at = x_turn + pixel * x_column + row * x_row;
        const int y_pixel = y_at + pixel * s.y.pixel_pitch + row * y_row + lane / 16 * kChunk;
        unsigned b[(kTiles + 1) / 2][4], a[kRows][4];
#pragma unroll
        for (int i = 0; i < (kTiles + 1) / 2; ++i)
          ptx::load_matrices_transposed(
              b[i], real ? base + static_cast<unsigned>(y_pixel + i * 2 * kChunk) : zeros);
#pragma unroll
        for (int i = 0; i < kRows; ++i)
          ptx::load_matrices_transposed(
              a[i], real ? base + static_cast<unsigned>(at + row_at[i][0]) : zeros);
#pragma unroll
        for (int i = 0; i < kRows; ++i) {
          const unsigned turned[4] = {a[i][0], a[i][2], a[i][1], a[i][3]};
#pragma unroll
          for (int k = 0; k < kTiles; ++k)
            ptx::multiply_add<kFactors<kMath>>(sums[i][k], turned, b[k / 2][k % 2 * 2],
                                               b[k / 2][k % 2 * 2 + 1]);
        }
      }
    }
  }

  if (!busy) return;
  parts += (static_cast<long long>(split) * g.groups + group + in_block) * g.group_out * elements;
#pragma unroll
  for (int i = 0; i < kRows; ++i)
#pragma unroll
    for (int k = 0; k < kTiles; ++k)
#pragma unroll
      for (int part = 0; part < 4; ++part) {
        const int element = (first_row + i * warps) * 16 + part / 2 * 8 + lane / 4;
        const int channel = unit_channel + k * 8 + lane % 4 * 2 + part % 2;
        if (element < elements && channel < g.group_out)
          parts[static_cast<long long>(channel) * elements + element] = sums[i][k][part];
      }
}

}  // namespace

// atc_grouped_gradient_<layout>_<math>_<kRows>x<kTiles>
#define ATC_GROUPED(layout, first, math, rows, tiles)                                            \
  extern "C" __global__ void __launch_bounds__(kThreads, 2)                                      \
      atc_grouped_gradient_##layout##_##math##_##rows##x##tiles(                                 \
          const __grid_constant__ GradientStream g, const void* x, const void* y, void* parts) { \
    where_possible([&] {                                                                         \
      sum_products<Math::math, rows, tiles, first>(g, x, y, static_cast<float*>(parts));         \
    });                                                                                          \
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
