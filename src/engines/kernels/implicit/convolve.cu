// This kernel computes forward and backward-data for groups of several channels, and for first
// layers. It uses tensor cores (mma.sync) or, for fp32, FFMA.
//
// The kernel computes:
//   out[pixel, k] = sum over taps and c of in[pixel + offset of the tap, c] * filters[k, tap, c]
//
// Each group has its own matrix product: M is pixels of a tile, N is output channels, and K is taps
// x input channels, in chunks of 16 bytes. A block computes one tile of one phase (backward-data
// with a stride has several phases; geometry.hpp). It loads the input of the tile (operand A) once.
// The filters (operand B) are loaded in stages: two stages are used in turn, or one if all filters
// fit. A warp computes one unit (up to 32 output channels of a group) for a part of the tile's
// pixels.
//
// Contract
//   in, out   dense tensors, aligned to an element. If g.in.vectors (g.out.vectors) is set, in
//             (out) is aligned to 16 bytes
//   packed    the filters, as `pack` of filters.cu writes them; aligned to 16 bytes
//   bias      of the type of out; not read unless g.has_bias is set
//   refused   groups of more than 256 channels, mixed types (`objection` in shape.cpp)
//   assumed   Pixels of padding are zeros. So an Inf or NaN in the filters also reaches outputs
//             whose tap lies in padding
//
// Shared memory, by offset in bytes
//   0             a table with the offset of the input of each chunk: 4 bytes for each chunk
//   g.filters_at  operand B: one or two stages of g.stage_bytes, [output channel][chunk], in rows
//                 of g.filter_pitch_bytes
//   g.halo_at     operand A: the tile's input, in rows of g.row_pitch_bytes and pixels of
//                 g.pixel_pitch_bytes
//   0             in the epilogue: the outputs of the tile, which overwrite all of the above
#include "engines/kernels/implicit/store.cuh"
#include "engines/kernels/implicit/tile.cuh"

namespace atc::implicit {

namespace {

// Starts to load one stage of the filters, for all units of a block (a unit is the output channels
// that a warp computes). Each row has `g.filter_pitch_bytes` bytes and belongs to one output
// channel. A unit may have more rows than there are channels; the remaining rows become zeros.
template <int kN8Tiles>
__device__ void load_filters(const Geometry& g, const unsigned char* filters, int group,
                             int groups_here, int unit_block, int chunks, int stage, unsigned to) {
  const int first = stage * g.stage_chunks, count = min(g.stage_chunks, chunks - first);
  if (count <= 0) return;
  const Team team(g.filter_shift);
  const int rows_of_group = g.units * kN8Tiles * 8, first_channel = unit_block * kN8Tiles * 8;
  const int rows = g.block_units * kN8Tiles * 8;
  const long long row_bytes = static_cast<long long>(chunks) * kChunk;
  const unsigned char* const block =
      filters + (static_cast<long long>(group) * g.group_out + first_channel) * row_bytes +
      static_cast<long long>(first) * kChunk;
  if (g.block_groups == 1 || rows_of_group == g.group_out) {
    // If the block has one group, or if no group has unused rows of filters, the rows of the block
    // are contiguous in memory across its groups. Then one loop copies them.
    const int valid = g.block_groups == 1 ? g.group_out - first_channel : groups_here * g.group_out;
    for (int at = team.sub * kChunk; at < count * kChunk; at += team.lanes * kChunk) {
      const unsigned char* from = block + team.first * row_bytes + at;
      unsigned place = to + static_cast<unsigned>(team.first * g.filter_pitch_bytes + at);
#pragma unroll 2
      for (int row = team.first; row < rows; row += team.step) {
        ptx::cp_async_cg_16(place, from, row < valid);
        from += team.step * row_bytes;
        place += static_cast<unsigned>(team.step * g.filter_pitch_bytes);
      }
    }
    return;
  }
  int in_block = 0, channel = team.first;
  for (int row = team.first; row < rows; row += team.step) {
    for (; channel >= rows_of_group; channel -= rows_of_group) ++in_block;
    const bool valid = in_block < groups_here && first_channel + channel < g.group_out;
    const unsigned char* const from = block + (in_block * g.group_out + channel) * row_bytes;
    for (int at = team.sub * kChunk; at < count * kChunk; at += team.lanes * kChunk)
      ptx::cp_async_cg_16(to + static_cast<unsigned>(row * g.filter_pitch_bytes + at), from + at,
                          valid);
    channel += team.step;
  }
}

// ---- Products ----

// The pixels of the tile that a warp multiplies. The m16 tile number i of the warp begins at pixel
// (i * step + first) * 16.
struct WarpRows {
  int first, step, pixels;

  __device__ __forceinline__ bool has(int i) const { return (i * step + first) * 16 < pixels; }
};

// Adds the products of chunk number `chunk` (16 bytes) of K. If kTwo is true, also adds the
// products of the next chunk. `begin` is the first chunk of the stage. If kAll is true, all m16
// tiles of the warp have pixels; otherwise m16 tiles without pixels are skipped. If the number of
// n8 tiles is odd, `back` is subtracted from the address that this lane passes to ldmatrix for the
// last n8 tile.
template <Math kMath, bool kPaired, bool kTwo, bool kAll, int kM16Tiles, int kN8Tiles>
__device__ __forceinline__ void multiply_chunks(const WarpRows& rows, unsigned filter_at,
                                                unsigned back, int filter_pitch_bytes, int chunk,
                                                int begin, const unsigned (&pixel_at)[kM16Tiles][1],
                                                const int* table,
                                                float (&accum)[kM16Tiles][kN8Tiles][4]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  // Operand B. Each b[i] is two n8 tiles x 32 bytes of K.
  unsigned b[(kN8Tiles + 1) / 2][4];
  unsigned offset = static_cast<unsigned>(table[lane / 16 + chunk]);
  [[maybe_unused]] unsigned keep[2] = {~0u, ~0u};
  if constexpr (kPaired) {
    offset &= ~1u;
    for (int i = 0; i < 2; ++i)
      if (lane % 4 >= 2 && (table[chunk + i] & 1) != 0) keep[i] = 0;
  }
#pragma unroll
  for (int pair = 0; pair < (kN8Tiles + 1) / 2; ++pair)
    ptx::ldmatrix_x4(b[pair], (pair * 2 + 1 < kN8Tiles ? filter_at : filter_at - back) +
                                  static_cast<unsigned>((chunk - begin) * kChunk +
                                                        pair * 16 * filter_pitch_bytes));
  // A warp issues the loads of this number of m16 tiles (16 pixels each) before it multiplies the
  // first of these tiles.
  constexpr int kInFlight = 4;
  static_assert(kM16Tiles % kInFlight == 0);
#pragma unroll
  for (int first = 0; first < kM16Tiles; first += kInFlight) {
    // Operand A. Each a[i] is 16 pixels x 32 bytes of K.
    unsigned a[kInFlight][4];
#pragma unroll
    for (int i = 0; i < kInFlight; ++i)
      if (kAll || rows.has(first + i)) ptx::ldmatrix_x4(a[i], pixel_at[first + i][0] + offset);
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) {
      if (!kAll && !rows.has(first + i)) continue;
      if constexpr (kPaired) {
        a[i][0] &= keep[0];
        a[i][1] &= keep[0];
        a[i][2] &= keep[1];
        a[i][3] &= keep[1];
      }
#pragma unroll
      for (int tile = 0; tile < kN8Tiles; ++tile) {
        const unsigned* const words = &b[tile / 2][tile % 2 * 2];
        float(&sum)[4] = accum[first + i][tile];
        if constexpr (kTwo)
          ptx::mma_sync_m16n8<kOperandType<kMath>>(sum, a[i], words[0], words[1]);
        else
          ptx::mma_sync_m16n8_half_k<kOperandType<kMath>>(sum, a[i], words[0]);
      }
    }
  }
}

// ---- The kernel ----

// kM16Tiles is the number of m16 tiles of pixels that a warp computes. kN8Tiles is the number of n8
// tiles of output channels of a unit (the channels that a warp computes).
template <Math kMath, int kM16Tiles, int kN8Tiles, bool kPaired>
__device__ __forceinline__ void convolve(const Geometry& g, const void* in, const void* packed,
                                         const void* bias, void* out) {
  // True only for fp32, which uses FFMA: a lane then loads whole chunks of 16 bytes from the rows
  // of A and B that belong to its accumulators.
  constexpr bool kWhole = kMath == Math::fp32;
  unsigned char* const shared = ptx::dynamic_shared();
  auto* const table = reinterpret_cast<int*>(shared);
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;

  unsigned rest = blockIdx.x;
  const auto take = [&](int extent) {
    const unsigned whole = rest / static_cast<unsigned>(extent);
    const auto index = static_cast<int>(rest - whole * static_cast<unsigned>(extent));
    rest = whole;
    return index;
  };
  const int unit_block = take(g.unit_blocks) * g.units;
  const int group = take(g.group_blocks) * g.block_groups;
  const int left = take(g.tiles_w) * g.tile_w, top = take(g.tiles_h) * g.tile_h;
  const int phase_w = take(g.phases_w), phase_h = take(g.phases_h);
  const long long image = rest;
  const Axis &rows = g.rows[phase_h], &columns = g.columns[phase_w];
  if (top >= rows.outputs || left >= columns.outputs) return;
  const int height = min(g.tile_h, rows.outputs - top);
  const int width = min(g.tile_w, columns.outputs - left);
  const int pixels = height * width, groups_here = min(g.block_groups, g.groups - group);
  const int chunks = chunks_of(g, rows, columns);
  const int stages = (chunks + g.stage_chunks - 1) / g.stage_chunks;
  const auto* const filters = static_cast<const unsigned char*>(packed) +
                              g.phase_filter_bytes[phase_h * kMostPhases + phase_w];
  const unsigned filters_at = ptx::shared_address(shared + g.filters_at);

  // Starts to load the input of the tile and the first stage of filters.
  Part part;
  part.top = top * g.step + rows.start;
  part.left = left * g.step + columns.start;
  part.height = chunks == 0 ? 0 : (height - 1) * g.step + (rows.taps - 1) * rows.spacing + 1;
  part.width = chunks == 0 ? 0 : (width - 1) * g.step + (columns.taps - 1) * columns.spacing + 1;
  part.groups = groups_here;
  part.group_channels = g.group_in;
  part.group_chunks = g.tap_chunks;
  part.row_pitch_bytes = g.row_pitch_bytes;
  part.pixel_pitch_bytes = g.pixel_pitch_bytes;
  const Element<kMath>* const first = static_cast<const Element<kMath>*>(in) + image * g.in.image +
                                      static_cast<long long>(group * g.group_in) * g.in.channel;
  if (chunks != 0) {
    load_filters<kN8Tiles>(g, filters, group, groups_here, unit_block, chunks, 0, filters_at);
    if constexpr (kPaired)
      load_pairs<kMath>(g.in, part, first, g.shifted_copy_bytes, shared + g.halo_at);
    else
      load<kMath>(g.in, part, first, shared + g.halo_at);
    ptx::cp_async_commit_group();
    fill_table(g, rows, columns, chunks, round_up(chunks, 2), table);
  }

  // The addresses that this lane passes to ldmatrix, which loads two chunks (16 bytes) at once. For
  // operand A, the lane addresses a pixel of each m16 tile, and the first or the second of the two
  // chunks. For operand B, it addresses a row of two n8 tiles, and the first or the second of the
  // two chunks.
  const int unit = warp % g.block_units;
  const int pixel_warps = kWarps / g.block_units, pixel_warp = warp / g.block_units;
  const int in_block = unit / g.units;
  const unsigned halo_at = ptx::shared_address(shared + g.halo_at) +
                           static_cast<unsigned>(kPaired ? 0 : in_block * g.tap_chunks * kChunk);
  unsigned pixel_at[kM16Tiles][kWhole ? 2 : 1];
#pragma unroll
  for (int i = 0; i < kM16Tiles; ++i)
#pragma unroll
    for (int half = 0; half < (kWhole ? 2 : 1); ++half) {
      int pixel = (i * pixel_warps + pixel_warp) * 16 + (kWhole ? half * 8 + lane / 4 : lane % 16);
      // The sums of pixels after the last one of the tile are not stored. So for these pixels, the
      // address of pixel 0 is used.
      if (pixel >= pixels) pixel = 0;
      const int row = pixel / width;
      pixel_at[i][half] = halo_at + static_cast<unsigned>(offset_of(g, row, pixel - row * width));
    }
  const int my_filter = unit * kN8Tiles * 8 + (kWhole ? lane % 4 * 2 : lane / 16 * 8 + lane % 8);
  const unsigned filter_row = static_cast<unsigned>(my_filter * g.filter_pitch_bytes +
                                                    (kWhole ? 0 : lane / 8 % 2 * kChunk));
  // A unit is the output channels that a warp computes. ldmatrix reads two n8 tiles at once; lanes
  // 16 to 31 address the rows of the second tile. If a unit has an odd number of n8 tiles, its last
  // tile has no second tile. Subtracting `back` makes lanes 16 to 31 address the last tile again.
  // They must not read the rows after it, which belong to another unit or are still being copied.
  [[maybe_unused]] const auto back = static_cast<unsigned>(lane / 16 * 8 * g.filter_pitch_bytes);
  const WarpRows rows_of_warp{pixel_warp, pixel_warps, pixels};

  // The products, stage by stage. While a stage is multiplied, the filters of the next stage are
  // loaded.
  // The sums of a warp: kM16Tiles * 16 pixels x kN8Tiles * 8 output channels.
  float accum[kM16Tiles][kN8Tiles][4] = {};
  for (int stage = 0; stage < stages; ++stage) {
    if (stage + 1 < stages) {
      load_filters<kN8Tiles>(g, filters, group, groups_here, unit_block, chunks, stage + 1,
                             filters_at + static_cast<unsigned>((stage + 1) % 2 * g.stage_bytes));
      ptx::cp_async_commit_group();
      ptx::cp_async_wait_group<1>();
    } else {
      ptx::cp_async_wait_group<0>();
    }
    if (!kPaired && stage == 0) finish_load<kMath>(g.in, part, shared + g.halo_at);
    __syncthreads();
    const int begin = stage * g.stage_chunks, end = min(begin + g.stage_chunks, chunks);
    const unsigned filter_at =
        filters_at + filter_row + static_cast<unsigned>(stage % 2 * g.stage_bytes);
    if constexpr (kWhole) {
      for (int chunk = begin; chunk < end; ++chunk) {
        float4 b[kN8Tiles][2];
#pragma unroll
        for (int tile = 0; tile < kN8Tiles; ++tile)
#pragma unroll
          for (int side = 0; side < 2; ++side)
            b[tile][side] = ptx::ld_shared_v4(
                filter_at + static_cast<unsigned>((tile * 8 + side) * g.filter_pitch_bytes +
                                                  (chunk - begin) * kChunk));
        const auto offset = static_cast<unsigned>(table[chunk]);
#pragma unroll
        for (int i = 0; i < kM16Tiles; ++i) {
          if ((i * pixel_warps + pixel_warp) * 16 >= pixels) break;
#pragma unroll
          for (int half = 0; half < 2; ++half) {
            const float4 a = ptx::ld_shared_v4(pixel_at[i][half] + offset);
#pragma unroll
            for (int tile = 0; tile < kN8Tiles; ++tile)
#pragma unroll
              for (int side = 0; side < 2; ++side) {
                float& sum = accum[i][tile][half * 2 + side];
                sum = fmaf(a.x, b[tile][side].x, sum);
                sum = fmaf(a.y, b[tile][side].y, sum);
                sum = fmaf(a.z, b[tile][side].z, sum);
                sum = fmaf(a.w, b[tile][side].w, sum);
              }
          }
        }
      }
    } else {
      const auto multiply_all = [&](auto all) {
        int chunk = begin;
        for (; chunk + 1 < end; chunk += 2)
          multiply_chunks<kMath, kPaired, true, decltype(all)::value>(
              rows_of_warp, filter_at, back, g.filter_pitch_bytes, chunk, begin, pixel_at, table,
              accum);
        if (chunk < end)
          multiply_chunks<kMath, kPaired, false, decltype(all)::value>(
              rows_of_warp, filter_at, back, g.filter_pitch_bytes, chunk, begin, pixel_at, table,
              accum);
      };
      if (((kM16Tiles - 1) * pixel_warps + pixel_warp) * 16 < pixels)
        multiply_all(std::true_type());
      else
        multiply_all(std::false_type());
    }
    __syncthreads();
  }

  // Epilogue: adds the bias to the accumulators, applies ReLU, rounds, and writes the outputs into
  // shared memory. Then stores them to device memory.
  const int unit_channel = (unit_block + unit - in_block * g.units) * kN8Tiles * 8;
  const int block_channel = group * g.group_out + unit_block * kN8Tiles * 8;
  const int channels = g.unit_blocks > 1
                           ? min(g.units * kN8Tiles * 8, g.group_out - unit_block * kN8Tiles * 8)
                           : groups_here * g.group_out;
  const int pitch =
      g.channels_first
          ? round_up(pixels * static_cast<int>(sizeof(Element<kMath>)), kChunk) + kChunk
          : round_up(channels * static_cast<int>(sizeof(Element<kMath>)), kChunk) + kChunk;
#pragma unroll
  for (int tile = 0; tile < kN8Tiles; ++tile)
#pragma unroll
    for (int side = 0; side < 2; ++side) {
      const int in_group = unit_channel + tile * 8 + lane % 4 * 2 + side;
      if (in_block >= groups_here || in_group >= g.group_out) continue;
      const int channel = (group + in_block) * g.group_out + in_group;
      const float plus =
          g.has_bias ? to_float(static_cast<const Element<kMath>*>(bias)[channel]) : 0.0f;
#pragma unroll
      for (int i = 0; i < kM16Tiles; ++i)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const int pixel = (i * pixel_warps + pixel_warp) * 16 + half * 8 + lane / 4;
          if (pixel >= pixels) continue;
          float sum = accum[i][tile][half * 2 + side];
          if (g.has_bias) sum += plus;
          // fmaxf is not used for ReLU, because it would turn a NaN into 0.
          if (g.relu && sum < 0) sum = 0;
          const int line = g.channels_first ? channel - block_channel : pixel;
          const int place = g.channels_first ? pixel : channel - block_channel;
          from_float(sum, reinterpret_cast<Element<kMath>*>(shared + line * pitch)[place]);
        }
    }
  __syncthreads();
  Element<kMath>* const to = static_cast<Element<kMath>*>(out) + image * g.out.image +
                             static_cast<long long>(block_channel) * g.out.channel +
                             static_cast<long long>((phase_h + top * g.out_step) * g.out.width +
                                                    phase_w + left * g.out_step) *
                                 g.out.pixel;
  store(g, shared, pitch, top, left, height, width, block_channel, channels, to);
}

// Returns the number of blocks whose registers together must fit into a multiprocessor (for
// __launch_bounds__). `tiles` is kN8Tiles.
template <Math kMath>
constexpr int blocks_of(int tiles) {
  return tiles == 1 && kMath != Math::fp32 ? 3 : 2;
}

}  // namespace

// The kernels' names are atc_implicit_<math>_<kM16Tiles>x<kN8Tiles>, followed by _pairs if a chunk
// has the channels of two taps.
#define ATC_IMPLICIT(name, math, pixels, tiles, paired)                                            \
  extern "C" __global__ void __launch_bounds__(kThreads, blocks_of<Math::math>(tiles))             \
      atc_implicit_##name(const __grid_constant__ Geometry g, const void* in, const void* filters, \
                          const void* bias, void* out) {                                           \
    enable_sm80_or_later(                                                                          \
        [&] { convolve<Math::math, pixels, tiles, paired>(g, in, filters, bias, out); });          \
  }
#define ATC_IMPLICIT_OF(math)                 \
  ATC_IMPLICIT(math##_8x1, math, 8, 1, false) \
  ATC_IMPLICIT(math##_8x2, math, 8, 2, false) \
  ATC_IMPLICIT(math##_4x3, math, 4, 3, false) \
  ATC_IMPLICIT(math##_4x4, math, 4, 4, false)
#define ATC_IMPLICIT_PAIRS_OF(math)                \
  ATC_IMPLICIT(math##_4x3_pairs, math, 4, 3, true) \
  ATC_IMPLICIT(math##_4x4_pairs, math, 4, 4, true)

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
