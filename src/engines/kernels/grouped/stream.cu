// This kernel computes forward and backward-data for groups of several channels, on tensor cores
// (mma.sync).
//
// The kernel computes:
//   out[pixel, k] = sum over taps and c of in[pixel + offset of the tap, c] * filters[k, tap, c]
//
// Each group has its own matrix product: M is pixels of a tile, N is output channels, and K is taps
// x input channels, in chunks of 16 bytes. A block is persistent: it keeps the filters of its
// groups in shared memory and iterates over tiles. While a tile is multiplied, the input of the
// next tile is copied. A warp computes one unit (up to 32 output channels of a group) for a part of
// the tile's pixels. It multiplies kM16Tiles x 16 pixels at a time.
//
// Contract
//   in, out   dense tensors, aligned to 16 bytes. With channels last, the channels of a group are a
//             whole number of chunks
//   w         any strides (FilterView): the filters are not packed
//   bias      of the type of out; not read unless g.has_bias is set
//   refused   one group, fp32 without TF32, groups of too many channels (`objection` in plan.cpp)
//   assumed   Pixels of padding are zeros. So an Inf or NaN in w also reaches outputs whose tap
//             lies in padding
//
// Shared memory, by offset in bytes
//   0                   a table with the offset of the input of each chunk: 4 bytes for each chunk,
//                       and 8 more bytes
//   g.filters_at        operand B: [output channel][chunk], in rows of g.filter_pitch_bytes
//   s.source.at         operand A: [pixel][chunk]; with channels last, two stages
//   s.source.raw_at     channels first: the next tile's input in the order of device memory
//   s.staged_at         the outputs of a tile, before they are stored
#include "engines/kernels/grouped/input.cuh"

namespace atc::grouped {

namespace {

// ---- Epilogue: stores to device memory ----

// Copies `bytes` bytes from `from` in shared memory to `run` in device memory: whole chunks of 16
// bytes, and single elements at the two ends of the run. The two addresses must be equal modulo 16.
template <typename Value>
__device__ void store_run(const Team& team, const unsigned char* from, int bytes,
                          unsigned char* run) {
  for (int at = team.sub * kChunk - lead_of(run); at < bytes; at += team.lanes * kChunk) {
    if (at >= 0 && at + kChunk <= bytes) {
      *reinterpret_cast<uint4*>(run + at) = *reinterpret_cast<const uint4*>(from + at);
      continue;
    }
    for (int i = max(at, 0); i < min(at + kChunk, bytes); i += static_cast<int>(sizeof(Value)))
      *reinterpret_cast<Value*>(run + i) = *reinterpret_cast<const Value*>(from + i);
  }
}

// ---- Filters, and the table of offsets ----

// Loads operand B: the filters of all units of a block (a unit is the channels that a warp
// computes), for all phases (remainders modulo the stride). Each row has `filter_pitch_bytes` bytes
// and belongs to one output channel. A unit may have more rows than there are channels; the
// remaining rows become zeros.
template <Math kMath, int kN8Tiles>
__device__ void load_filters(const StreamGeometry& s, const Element<kMath>* w, int group,
                             int groups_here, unsigned char* to) {
  constexpr int kWidth = Chunk<kMath>::kWidth;
  const Geometry& g = s.g;
  const int chunks = s.phase_begin[g.phases_h * g.phases_w], rows_of_group = g.units * kN8Tiles * 8;
  if (chunks == 0) return;
#pragma unroll 2
  for (Share at(chunks, rows_of_group, g.block_groups); at.left(); at.next()) {
    int phase = 0;
    while (at.a >= s.phase_begin[phase + 1]) ++phase;
    const Axis &rows = g.rows[phase / g.phases_w], &columns = g.columns[phase % g.phases_w];
    const int chunk = at.a - s.phase_begin[phase], tap = chunk / g.tap_chunks;
    const int r = tap / columns.taps, channel = (chunk - tap * g.tap_chunks) * kWidth;
    const int count = at.c < groups_here && at.b < g.group_out ? g.group_in - channel : 0;
    const int outer = s.w.transposed ? (group + at.c) * g.group_in + channel
                                     : (group + at.c) * g.group_out + at.b;
    const int inner = s.w.transposed ? at.b : channel;
    const long long step = s.w.strides[s.w.transposed ? 0 : 1];
    const Element<kMath>* const from =
        w + outer * s.w.strides[0] + inner * s.w.strides[1] +
        (rows.filter_start + r * rows.filter_step) * s.w.strides[2] +
        (columns.filter_start + (tap - r * columns.taps) * columns.filter_step) * s.w.strides[3];
    Chunk<kMath> value;
#pragma unroll
    for (int i = 0; i < kWidth; ++i) {
      from_float(0.0f, value.elements[i]);
      if (i < count) value.elements[i] = as_operand<kMath>(__ldg(from + i * step));
    }
    *reinterpret_cast<uint4*>(to + (at.c * rows_of_group + at.b) * g.filter_pitch_bytes +
                              at.a * kChunk) = value.words;
  }
}

// Writes the table of offsets. It has an entry for each chunk (16 bytes) of K of all phases: the
// offset in bytes from the first input of a pixel to the chunk's input.
__device__ inline void fill_tables(const StreamGeometry& s, int* table) {
  const Geometry& g = s.g;
  const int entries = s.phase_begin[g.phases_h * g.phases_w];
  for (int i = static_cast<int>(threadIdx.x); i < entries + 2; i += kThreads) {
    int offset = 0;
    if (i < entries) {
      int phase = 0;
      while (i >= s.phase_begin[phase + 1]) ++phase;
      const Axis &rows = g.rows[phase / g.phases_w], &columns = g.columns[phase % g.phases_w];
      const int chunk = i - s.phase_begin[phase], tap = chunk / g.tap_chunks;
      const int r = tap / columns.taps;
      offset = (rows.start - s.first_row + r * rows.spacing) * s.source.row_pitch_bytes +
               (columns.start - s.first_column + (tap - r * columns.taps) * columns.spacing) *
                   s.source.pixel_pitch_bytes +
               (chunk - tap * g.tap_chunks) * kChunk;
    }
    table[i] = offset;
  }
}

// ---- Tile scheduler ----

// The place of a tile: its image, and the row and column of its first output. In backward-data,
// rows and columns count only the outputs of one phase: outputs whose coordinates have the same
// remainder modulo the stride.
struct Tile {
  long long image;
  int top, left;
};

__device__ inline Tile tile_at(const Geometry& g, int item) {
  const int across = item / g.tiles_w, image = across / g.tiles_h;
  return {image, (across - image * g.tiles_h) * g.tile_h, (item - across * g.tiles_w) * g.tile_w};
}

// Returns the rectangle of the input that a tile reads, for the outputs of all phases (remainders
// modulo the stride).
__device__ inline Region input_of(const StreamGeometry& s, const Tile& tile) {
  const Geometry& g = s.g;
  Region part;
  part.image = tile.image;
  part.top = tile.top * g.step + s.first_row;
  part.left = tile.left * g.step + s.first_column;
  part.height = s.halo_h - max(0, tile.top + g.tile_h - g.rows[0].outputs) * g.step;
  part.width = s.halo_w - max(0, tile.left + g.tile_w - g.columns[0].outputs) * g.step;
  return part;
}

// Two neighbouring channels of a pixel, stored at once.
template <typename Value>
struct alignas(2 * sizeof(Value)) Pair {
  Value values[2];
};

// ---- Products ----

// Adds the products of chunk number `chunk` (16 bytes) of K. If kTwo is true, also adds the
// products of the next chunk. If kAll is true, all m16 tiles of the warp have pixels; otherwise m16
// tiles without pixels are skipped.
template <Math kMath, bool kTwo, bool kAll, int kM16Tiles, int kN8Tiles>
__device__ __forceinline__ void multiply_chunks(int first, int shares, int pixels,
                                                unsigned filter_at, int chunk,
                                                int filter_pitch_bytes,
                                                const unsigned (&pixel_at)[kM16Tiles],
                                                unsigned offset,
                                                float (&accum)[kM16Tiles][kN8Tiles][4]) {
  // Operand B. Each b[i] is two n8 tiles x 32 bytes of K.
  unsigned b[(kN8Tiles + 1) / 2][4];
  // Operand A. Each a[i] is 16 pixels x 32 bytes of K.
  unsigned a[kM16Tiles][4];
#pragma unroll
  for (int pair = 0; pair < (kN8Tiles + 1) / 2; ++pair)
    ptx::ldmatrix_x4(b[pair], filter_at + static_cast<unsigned>(chunk * kChunk +
                                                                pair * 16 * filter_pitch_bytes));
#pragma unroll
  for (int i = 0; i < kM16Tiles; ++i)
    if (kAll || (first + i * shares) * 16 < pixels) ptx::ldmatrix_x4(a[i], pixel_at[i] + offset);
#pragma unroll
  for (int i = 0; i < kM16Tiles; ++i) {
    if (!kAll && (first + i * shares) * 16 >= pixels) continue;
#pragma unroll
    for (int k = 0; k < kN8Tiles; ++k) {
      const unsigned* const words = &b[k / 2][k % 2 * 2];
      if constexpr (kTwo)
        ptx::mma_sync_m16n8<kOperandType<kMath>>(accum[i][k], a[i], words[0], words[1]);
      else
        ptx::mma_sync_m16n8_half_k<kOperandType<kMath>>(accum[i][k], a[i], words[0]);
    }
  }
}

// ---- The kernel ----

// kM16Tiles is the number of m16 tiles of pixels that a warp multiplies at once. kN8Tiles is the
// number of n8 tiles of output channels of a unit (the channels that a warp computes).
template <Math kMath, int kM16Tiles, int kN8Tiles, bool kChannelsFirst>
__device__ __forceinline__ void stream(const StreamGeometry& s, const void* in, const void* w,
                                       const void* bias, void* out) {
  using Value = Element<kMath>;
  constexpr int kSize = sizeof(Value);
  const Geometry& g = s.g;
  unsigned char* const shared = ptx::dynamic_shared();
  auto* const table = reinterpret_cast<int*>(shared);
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int worker = static_cast<int>(blockIdx.x) / g.group_blocks;
  const int group = (static_cast<int>(blockIdx.x) - worker * g.group_blocks) * g.block_groups;
  const int groups_here = min(g.block_groups, g.groups - group);
  const int items = s.images * g.tiles_h * g.tiles_w;
  const Input<kMath, kChannelsFirst> input(s.source, in, s.images, group, groups_here, shared);
  Value* const to =
      static_cast<Value*>(out) + static_cast<long long>(group * g.group_out) * g.out.channel;

  // Prologue: starts to load the first tile's input, and loads the filters.
  Tile tile = tile_at(g, worker);
  input.start(input_of(s, tile), 0);
  fill_tables(s, table);
  load_filters<kMath, kN8Tiles>(s, static_cast<const Value*>(w), group, groups_here,
                                shared + g.filters_at);

  const int unit = warp % g.block_units, in_block = unit / g.units;
  const int shares = kWarps / g.block_units, share = warp / g.block_units;
  // The first output channel of the unit, counted within its group.
  const int unit_channel = (unit - in_block * g.units) * kN8Tiles * 8;
  const bool busy = in_block < groups_here && unit_channel < g.group_out;
  const int my_channel = unit_channel + lane % 4 * 2;
  const bool whole_units = g.units * kN8Tiles * 8 == g.group_out;
  // If there is no ReLU, `least` is -Inf, so that no sum is below it. If there is no bias, `plus`
  // is -0, whose addition changes no sum.
  const float least = g.relu ? 0.0f : -__int_as_float(0x7f800000);
  float plus[kN8Tiles][2];
#pragma unroll
  for (int k = 0; k < kN8Tiles; ++k)
#pragma unroll
    for (int side = 0; side < 2; ++side) {
      const int channel = my_channel + k * 8 + side;
      plus[k][side] = g.has_bias && busy && channel < g.group_out
                          ? to_float(static_cast<const Value*>(
                                bias)[(group + in_block) * g.group_out + channel])
                          : -0.0f;
    }
  const unsigned halo_at = ptx::shared_address(shared + s.source.at) +
                           static_cast<unsigned>(in_block * g.tap_chunks * kChunk);
  const unsigned filter_at =
      ptx::shared_address(shared + g.filters_at) +
      static_cast<unsigned>((unit * kN8Tiles * 8 + lane / 16 * 8 + lane % 8) *
                                g.filter_pitch_bytes +
                            lane / 8 % 2 * kChunk);
  const int* const my_table = table + lane / 16;

  int stage = 0;
  for (int item = worker; item < items; item += s.workers) {
    // Waits for the copies of this tile's input and makes operand A from them. Then starts to copy
    // the next tile's input.
    ptx::cp_async_wait_group<0>();
    if constexpr (kChannelsFirst) __syncthreads();
    input.finish(input_of(s, tile), stage);
    __syncthreads();
    const int top = tile.top, left = tile.left;
    const long long image = tile.image;
    const auto halo = halo_at + static_cast<unsigned>(stage * s.source.turn_bytes);
    if (item + s.workers < items) {
      tile = tile_at(g, item + s.workers);
      if constexpr (!kChannelsFirst) stage ^= 1;
      input.start(input_of(s, tile), stage);
    }

    // The rows and columns of the output that the block computes in this tile, for all phases
    // (remainders of the coordinates modulo the stride) together.
    const int out_top = top * g.out_step, out_left = left * g.out_step;
    const int out_height = min(g.tile_h * g.out_step, g.out.height - out_top);
    const int out_width = min(g.tile_w * g.out_step, g.out.width - out_left);
    auto* const out_first = reinterpret_cast<unsigned char*>(
        to + image * g.out.image +
        static_cast<long long>(out_top * g.out.width + out_left) * g.out.pixel);
    unsigned char* const from = shared + s.staged_at + lead_of(out_first);

    // The products of one phase after the other. A phase is the outputs whose coordinates have the
    // same remainder modulo the stride. The sums of each phase are rounded and written to shared
    // memory, from where the epilogue stores them.
    for (int phase = 0; phase < g.phases_h * g.phases_w; ++phase) {
      const int phase_h = phase / g.phases_w, phase_w = phase - phase_h * g.phases_w;
      const int height = min(g.tile_h, g.rows[phase_h].outputs - top);
      const int width = min(g.tile_w, g.columns[phase_w].outputs - left);
      const int pixels = max(height, 0) * max(width, 0);
      const int begin = s.phase_begin[phase], end = s.phase_begin[phase + 1];
      if (!busy || pixels == 0) continue;
      // The quotient pixel / width is computed as pixel * inverse >> 20. This is exact, because
      // pixels * width is below 2^20 (kMostTile in plan.cpp).
      const unsigned inverse = (1u << 20) / static_cast<unsigned>(width) + 1;
      const auto row_of = [&](int pixel) {
        return static_cast<int>(static_cast<unsigned>(pixel) * inverse >> 20);
      };
      // The offset of a pixel is pixel * …_column + row * …_turn. A name that ends in _column is
      // the number of bytes from a pixel to the next pixel of its row. A name that ends in _turn is
      // the number of bytes to add for each new row.
      const int halo_column = g.step * s.source.pixel_pitch_bytes;
      const int halo_turn = g.step * s.source.row_pitch_bytes - width * halo_column;
      const int staged_column = g.out_step * s.staged_pixel_bytes;
      const int staged_turn = g.out_step * s.staged_row_bytes - width * staged_column;
      unsigned char* const staged = from + phase_h * s.staged_row_bytes +
                                    phase_w * s.staged_pixel_bytes +
                                    (in_block * g.group_out + my_channel) * s.staged_channel_bytes;
      for (int first = share; first * 16 < pixels; first += shares * kM16Tiles) {
        unsigned pixel_at[kM16Tiles];
#pragma unroll
        for (int i = 0; i < kM16Tiles; ++i) {
          int pixel = (first + i * shares) * 16 + lane % 16;
          if (pixel >= pixels)
            // The sums of this pixel are not stored, so any valid address may be read.
            pixel = 0;
          pixel_at[i] =
              halo + static_cast<unsigned>(pixel * halo_column + row_of(pixel) * halo_turn);
        }
        // The sums of a warp: kM16Tiles * 16 pixels x kN8Tiles * 8 output channels.
        float accum[kM16Tiles][kN8Tiles][4] = {};
        const auto multiply_all = [&](auto all) {
          int chunk = begin;
          for (; chunk + 1 < end; chunk += 2)
            multiply_chunks<kMath, true, decltype(all)::value>(
                first, shares, pixels, filter_at, chunk, g.filter_pitch_bytes, pixel_at,
                static_cast<unsigned>(my_table[chunk]), accum);
          if (chunk < end)
            multiply_chunks<kMath, false, decltype(all)::value>(
                first, shares, pixels, filter_at, chunk, g.filter_pitch_bytes, pixel_at,
                static_cast<unsigned>(my_table[chunk]), accum);
        };
        if ((first + (kM16Tiles - 1) * shares) * 16 < pixels)
          multiply_all(std::true_type());
        else
          multiply_all(std::false_type());

        // Adds the bias to the accumulators, applies ReLU, rounds, and writes the outputs into
        // shared memory.
        const auto stage_outputs = [&](auto whole) {
          constexpr bool kWhole = decltype(whole)::value;
#pragma unroll
          for (int i = 0; i < kM16Tiles; ++i)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
              const int pixel = (first + i * shares) * 16 + half * 8 + lane / 4;
              if (pixel >= pixels) continue;
              unsigned char* const at =
                  staged + pixel * staged_column + row_of(pixel) * staged_turn;
#pragma unroll
              for (int k = 0; k < kN8Tiles; ++k) {
                Pair<Value> pair;
#pragma unroll
                for (int side = 0; side < 2; ++side) {
                  float sum = accum[i][k][half * 2 + side] + plus[k][side];
                  // fmaxf is not used for ReLU, because it would turn a NaN into 0.
                  if (sum < least) sum = 0;
                  from_float(sum, pair.values[side]);
                }
                if constexpr (kWhole && !kChannelsFirst) {
                  *reinterpret_cast<Pair<Value>*>(at + k * 8 * kSize) = pair;
                } else {
#pragma unroll
                  for (int side = 0; side < 2; ++side)
                    if (kWhole || my_channel + k * 8 + side < g.group_out)
                      *reinterpret_cast<Value*>(at + (k * 8 + side) * s.staged_channel_bytes) =
                          pair.values[side];
                }
              }
            }
        };
        if (whole_units)
          stage_outputs(std::true_type());
        else
          stage_outputs(std::false_type());
      }
    }
    __syncthreads();

    // Epilogue: stores the outputs of the tile from shared memory. Outputs that are contiguous in
    // device memory are stored together.
    const Team team(s.store_shift);
    const int channels = groups_here * g.group_out;
    if constexpr (kChannelsFirst) {
      const bool rows = g.tiles_w == 1, planes = s.whole_planes != 0;
      const int bytes = (planes ? channels : 1) * (rows ? out_height : 1) * out_width * kSize;
      for (int channel = team.first; channel < (planes ? 1 : channels); channel += team.step)
        for (int row = 0; row < (rows ? 1 : out_height); ++row)
          store_run<Value>(
              team, from + channel * s.staged_channel_bytes + row * s.staged_row_bytes, bytes,
              out_first +
                  (static_cast<long long>(channel) * g.out.channel + row * g.out.width) * kSize);
    } else {
      for (Walk at(team, out_width); at.row < out_height; at.next(team))
        store_run<Value>(team,
                         from + at.row * s.staged_row_bytes + at.column * s.staged_pixel_bytes,
                         channels * kSize,
                         out_first + static_cast<long long>(at.row * g.out.width + at.column) *
                                         g.out.pixel * kSize);
    }
  }
}

// Returns the number of blocks whose registers together must fit into a multiprocessor (for
// __launch_bounds__). `tiles` is kN8Tiles.
constexpr int blocks_of(int tiles) { return tiles <= 2 ? 3 : 2; }

}  // namespace

// The kernels' names are atc_grouped_<layout>_<math>_<kM16Tiles>x<kN8Tiles>.
#define ATC_GROUPED(layout, first, math, pixels, tiles)                                            \
  extern "C" __global__ void __launch_bounds__(kThreads, blocks_of(tiles))                         \
      atc_grouped_##layout##_##math##_##pixels##x##tiles(const __grid_constant__ StreamGeometry g, \
                                                         const void* in, const void* w,            \
                                                         const void* bias, void* out) {            \
    enable_sm80_or_later([&] { stream<Math::math, pixels, tiles, first>(g, in, w, bias, out); });  \
  }
#define ATC_GROUPED_OF(math)           \
  ATC_GROUPED(first, true, math, 4, 1) \
  ATC_GROUPED(first, true, math, 4, 2) \
  ATC_GROUPED(first, true, math, 4, 3) \
  ATC_GROUPED(first, true, math, 4, 4) \
  ATC_GROUPED(last, false, math, 4, 1) \
  ATC_GROUPED(last, false, math, 4, 2) \
  ATC_GROUPED(last, false, math, 4, 3) \
  ATC_GROUPED(last, false, math, 4, 4)

ATC_GROUPED_OF(f16)
ATC_GROUPED_OF(bf16)
ATC_GROUPED_OF(tf32)

#undef ATC_GROUPED
#undef ATC_GROUPED_OF

}  // namespace atc::grouped
