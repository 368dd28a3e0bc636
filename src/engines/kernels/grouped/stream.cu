// Forward and backward-data of small groups. A block has the filters of its groups in shared memory
// for good; input of the next tile is on its way while a tile is multiplied, and outputs leave
// through shared memory in runs as long as memory has them.
#include "engines/kernels/grouped/geometry.hpp"
#include "engines/kernels/implicit/tile.cuh"

namespace atc::grouped {

namespace {

using namespace implicit;

// Equal runs of bytes, count_a x count_b of them.
struct Runs {
  int bytes = 0, count_a = 1, count_b = 1;
  int pitch_a = 0, pitch_b = 0;         // in shared memory
  long long stride_a = 0, stride_b = 0;  // in memory; modulo 16 the same
};

__device__ inline int lead_of(const void* pointer) {
  return static_cast<int>(reinterpret_cast<unsigned long long>(pointer) % kChunk);
}

// Chunks of a run that may be met, where the first run begins at `first`.
__device__ inline int chunks_of(const Runs& runs, const void* first) {
  const bool aligned =
      lead_of(first) == 0 && runs.stride_a % kChunk == 0 && runs.stride_b % kChunk == 0;
  return (runs.bytes + (aligned ? 0 : kChunk - 1) + kChunk - 1) / kChunk;
}

// Starts copies of whole chunks, as far as they are before `end`; `to` is that of the first byte,
// and modulo 16 what `first` is.
__device__ inline void load_runs(const Runs& runs, const unsigned char* first,
                                 const unsigned char* end, unsigned to) {
  for (Share at(chunks_of(runs, first), runs.count_a, runs.count_b); at.left(); at.next()) {
    const unsigned char* const run = first + at.b * runs.stride_a + at.c * runs.stride_b;
    const int lead = lead_of(run), offset = at.a * kChunk - lead;
    if (offset >= runs.bytes) continue;
    const long long left = end - (run + offset);
    ptx::copy_async_some(to + static_cast<unsigned>(at.b * runs.pitch_a + at.c * runs.pitch_b + offset),
                         run + offset, left < kChunk ? static_cast<int>(left) : kChunk);
  }
}

// The inverse, of elements; `from` is the first byte.
template <typename Value>
__device__ void store_runs(const Runs& runs, const unsigned char* from, unsigned char* first) {
  for (Share at(chunks_of(runs, first), runs.count_a, runs.count_b); at.left(); at.next()) {
    unsigned char* const run = first + at.b * runs.stride_a + at.c * runs.stride_b;
    const unsigned char* const staged = from + at.b * runs.pitch_a + at.c * runs.pitch_b;
    const int begin = at.a * kChunk - lead_of(run);
    if (begin >= 0 && begin + kChunk <= runs.bytes) {
      *reinterpret_cast<uint4*>(run + begin) = *reinterpret_cast<const uint4*>(staged + begin);
      continue;
    }
    for (int i = max(begin, 0); i < min(begin + kChunk, runs.bytes);
         i += static_cast<int>(sizeof(Value)))
      *reinterpret_cast<Value*>(run + i) = *reinterpret_cast<const Value*>(staged + i);
  }
}

// The filters of a block's units, all phases: rows of `filter_pitch` bytes, zeros where a unit has
// no more channels.
template <Math kMath, int kTiles>
__device__ void load_filters(const StreamGeometry& s, const Element<kMath>* w, int group,
                             int groups_here, unsigned char* to) {
  constexpr int kWidth = Chunk<kMath>::kWidth;
  const Geometry& g = s.g;
  const int chunks = s.phase_begin[g.phases_h * g.phases_w], rows_of_group = g.units * kTiles * 8;
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
      if (i < count) value.elements[i] = as_factor<kMath>(__ldg(from + i * step));
    }
    *reinterpret_cast<uint4*>(to + (at.c * rows_of_group + at.b) * g.filter_pitch +
                              at.a * kChunk) = value.words;
  }
}

// Where chunks meet the input, from that of a pixel on, for all phases.
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
      offset = (rows.start - s.first_row + r * rows.spacing) * g.row_pitch +
               (columns.start - s.first_column + (tap - r * columns.taps) * columns.spacing) *
                   g.pixel_pitch +
               (chunk - tap * g.tap_chunks) * kChunk;
    }
    table[i] = offset;
  }
}

// A tile of an image, in outputs of a phase.
struct Tile {
  long long image;
  int top, left;
  int halo_top, halo_left, halo_h, halo_w;
  // Channels first: what of the halo is inside.
  int row_begin, row_end, column_begin, column_end;
};

__device__ inline Tile tile_at(const StreamGeometry& s, int item) {
  const Geometry& g = s.g;
  Tile tile;
  const int across = item / g.tiles_w;
  const int image = across / g.tiles_h;
  tile.image = image;
  tile.left = (item - across * g.tiles_w) * g.tile_w;
  tile.top = (across - image * g.tiles_h) * g.tile_h;
  tile.halo_top = tile.top * g.step + s.first_row;
  tile.halo_left = tile.left * g.step + s.first_column;
  tile.halo_h = s.halo_h - max(0, tile.top + g.tile_h - g.rows[0].outputs) * g.step;
  tile.halo_w = s.halo_w - max(0, tile.left + g.tile_w - g.columns[0].outputs) * g.step;
  tile.row_begin = max(tile.halo_top, 0);
  tile.row_end = min(tile.halo_top + tile.halo_h, g.in.height);
  tile.column_begin = max(tile.halo_left, 0);
  tile.column_end = min(tile.halo_left + tile.halo_w, g.in.width);
  return tile;
}

template <Math kMath>
class Input {
 public:
  using Value = Element<kMath>;
  static constexpr int kSize = sizeof(Value), kWidth = Chunk<kMath>::kWidth;

  __device__ Input(const StreamGeometry& s, const Value* in, int group, int groups_here,
                   unsigned char* shared)
      : s_(s), in_(in), shared_(shared), group_(group), groups_(groups_here) {}

  // Starts to load a tile, into the halo of this turn or as it is in memory.
  __device__ void start(const Tile& tile, int turn) const {
    const Geometry& g = s_.g;
    if (!g.channels_first) {
      load<kMath>(g.in, part(tile), first(tile), shared_ + g.halo_at + turn * s_.halo_bytes);
    } else if (tile.row_begin < tile.row_end && tile.column_begin < tile.column_end) {
      Runs runs;
      const int rows = tile.row_end - tile.row_begin;
      const int columns = tile.column_end - tile.column_begin;
      runs.bytes = (s_.whole_rows ? rows * columns : columns) * kSize;
      runs.count_a = s_.whole_rows ? 1 : rows;
      runs.count_b = groups_ * g.group_in;
      runs.pitch_a = s_.raw_row;
      runs.pitch_b = s_.raw_channel;
      runs.stride_a = static_cast<long long>(g.in.width) * kSize;
      runs.stride_b = static_cast<long long>(g.in.channel) * kSize;
      const auto* const from = reinterpret_cast<const unsigned char*>(inside_of(tile));
      load_runs(runs, from, reinterpret_cast<const unsigned char*>(in_ + s_.images * g.in.image),
                ptx::shared_address(shared_ + s_.raw_at + lead_of(from)));
    }
    ptx::commit_async();
  }

  // Channels first: makes the halo of what is in memory's order.
  __device__ void transpose(const Tile& tile) const {
    const Geometry& g = s_.g;
    const unsigned char* const raw = shared_ + s_.raw_at + lead_of(inside_of(tile));
    unsigned char* const halo = shared_ + g.halo_at;
    const bool full = g.group_in % kWidth == 0;
    for (Share at(tile.halo_w, tile.halo_h, groups_ * g.tap_chunks); at.left(); at.next()) {
      const int h = tile.halo_top + at.b, w = tile.halo_left + at.a;
      int channel = at.c * kWidth, count = kWidth;
      if (!full) {
        const int group = at.c / g.tap_chunks, in_group = (at.c - group * g.tap_chunks) * kWidth;
        channel = group * g.group_in + in_group;
        count = g.group_in - in_group;
      }
      Chunk<kMath> chunk;
      chunk.words = make_uint4(0, 0, 0, 0);
      if (inside(g.in, h, w)) {
        const unsigned char* from = raw + channel * s_.raw_channel +
                                    (h - tile.row_begin) * s_.raw_row +
                                    (w - tile.column_begin) * kSize;
#pragma unroll
        for (int i = 0; i < kWidth; ++i) {
          if (i < count)
            chunk.elements[i] = as_factor<kMath>(*reinterpret_cast<const Value*>(from));
          from += s_.raw_channel;
        }
      }
      *reinterpret_cast<uint4*>(halo + at.b * g.row_pitch + at.a * g.pixel_pitch +
                                at.c * kChunk) = chunk.words;
    }
  }

  // Channels last: makes factors of what this thread has copied.
  __device__ void finish(const Tile& tile, int turn) const {
    finish_load<kMath>(s_.g.in, part(tile), shared_ + s_.g.halo_at + turn * s_.halo_bytes);
  }

 private:
  __device__ const Value* first(const Tile& tile) const {
    return in_ + tile.image * s_.g.in.image +
           static_cast<long long>(group_ * s_.g.group_in) * s_.g.in.channel;
  }
  __device__ const Value* inside_of(const Tile& tile) const {
    return first(tile) + (tile.row_begin * s_.g.in.width + tile.column_begin);
  }
  __device__ Part part(const Tile& tile) const {
    const Geometry& g = s_.g;
    Part part;
    part.top = tile.halo_top;
    part.left = tile.halo_left;
    part.height = tile.halo_h;
    part.width = tile.halo_w;
    part.groups = groups_;
    part.group_channels = g.group_in;
    part.group_chunks = g.tap_chunks;
    part.row_pitch = g.row_pitch;
    part.pixel_pitch = g.pixel_pitch;
    return part;
  }

  const StreamGeometry& s_;
  const Value* in_;
  unsigned char* shared_;
  int group_, groups_;
};

// kPixels: sixteens of pixels of a warp at once; kTiles: eights of channels of a unit.
template <Math kMath, int kPixels, int kTiles>
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
  const Input<kMath> input(s, static_cast<const Value*>(in), group, groups_here, shared);
  Value* const to = static_cast<Value*>(out) +
                    static_cast<long long>(group * g.group_out) * g.out.channel;

  Tile tile = tile_at(s, worker);
  input.start(tile, 0);
  fill_tables(s, table);
  load_filters<kMath, kTiles>(s, static_cast<const Value*>(w), group, groups_here,
                              shared + g.filters_at);

  const int unit = warp % g.block_units, in_block = unit / g.units;
  const int shares = kWarps / g.block_units, share = warp / g.block_units;
  const int unit_channel = (unit - in_block * g.units) * kTiles * 8;  // of its group
  const bool busy = in_block < groups_here && unit_channel < g.group_out;
  const unsigned halo_at = ptx::shared_address(shared + g.halo_at) +
                           static_cast<unsigned>(in_block * g.tap_chunks * kChunk);
  const unsigned filter_at =
      ptx::shared_address(shared + g.filters_at) +
      static_cast<unsigned>((unit * kTiles * 8 + lane / 16 * 8 + lane % 8) * g.filter_pitch +
                            lane / 8 % 2 * kChunk);
  const int* const my_table = table + lane / 16;

  int turn = 0;
  for (int item = worker; item < items; item += s.workers) {
    ptx::wait_async<0>();
    if (g.channels_first) {
      __syncthreads();
      input.transpose(tile);
    } else {
      input.finish(tile, turn);
    }
    __syncthreads();
    const Tile here = tile;
    const auto halo = halo_at + static_cast<unsigned>(turn * s.halo_bytes);
    if (item + s.workers < items) {
      tile = tile_at(s, item + s.workers);
      turn ^= g.channels_first ? 0 : 1;
      input.start(tile, turn);
    }

    // The block's outputs: rows and columns of all phases.
    const int out_top = here.top * g.out_step, out_left = here.left * g.out_step;
    const int out_height = min(g.tile_h * g.out_step, g.out.height - out_top);
    const int out_width = min(g.tile_w * g.out_step, g.out.width - out_left);
    Value* const out_first = to + here.image * g.out.image +
                             static_cast<long long>(out_top * g.out.width + out_left) * g.out.pixel;
    unsigned char* const staged = shared + s.staged_at + lead_of(out_first);

    for (int phase = 0; phase < g.phases_h * g.phases_w; ++phase) {
      const int phase_h = phase / g.phases_w, phase_w = phase - phase_h * g.phases_w;
      const int height = min(g.tile_h, g.rows[phase_h].outputs - here.top);
      const int width = min(g.tile_w, g.columns[phase_w].outputs - here.left);
      const int pixels = max(height, 0) * max(width, 0);
      const int begin = s.phase_begin[phase], end = s.phase_begin[phase + 1];
      if (!busy || pixels == 0) continue;
      // A quotient by the width: pixels * width is below 2^20.
      const unsigned inverse = (1u << 20) / static_cast<unsigned>(width) + 1;
      const auto row_of = [&](int pixel) {
        return static_cast<int>(static_cast<unsigned>(pixel) * inverse >> 20);
      };
      unsigned char* const staged_phase = staged + phase_h * s.staged_row + phase_w * s.staged_pixel;
      for (int first = share; first * 16 < pixels; first += shares * kPixels) {
        unsigned pixel_at[kPixels];
#pragma unroll
        for (int i = 0; i < kPixels; ++i) {
          int pixel = (first + i * shares) * 16 + lane % 16;
          if (pixel >= pixels) pixel = 0;  // any: nothing comes of it
          const int row = row_of(pixel);
          pixel_at[i] = halo + static_cast<unsigned>(row * g.step * g.row_pitch +
                                                     (pixel - row * width) * g.step * g.pixel_pitch);
        }
        float sums[kPixels][kTiles][4] = {};
        const auto multiply = [&](int chunk, auto two) {
          unsigned b[(kTiles + 1) / 2][4];
#pragma unroll
          for (int pair = 0; pair < (kTiles + 1) / 2; ++pair)
            ptx::load_matrices(
                b[pair], filter_at + static_cast<unsigned>(chunk * kChunk + pair * 16 * g.filter_pitch));
          const auto offset = static_cast<unsigned>(my_table[chunk]);
#pragma unroll
          for (int i = 0; i < kPixels; ++i) {
            if ((first + i * shares) * 16 >= pixels) break;
            unsigned a[4];
            ptx::load_matrices(a, pixel_at[i] + offset);
#pragma unroll
            for (int tile_at = 0; tile_at < kTiles; ++tile_at) {
              const unsigned* const words = &b[tile_at / 2][tile_at % 2 * 2];
              if constexpr (decltype(two)::value)
                ptx::multiply_add<kFactors<kMath>>(sums[i][tile_at], a, words[0], words[1]);
              else
                ptx::multiply_add_one<kFactors<kMath>>(sums[i][tile_at], a, words[0]);
            }
          }
        };
        int chunk = begin;
        for (; chunk + 1 < end; chunk += 2) multiply(chunk, std::true_type());
        if (chunk < end) multiply(chunk, std::false_type());

        // With bias and relu, as elements into shared memory.
        unsigned char* at[kPixels][2];
#pragma unroll
        for (int i = 0; i < kPixels; ++i)
#pragma unroll
          for (int half = 0; half < 2; ++half) {
            const int pixel = (first + i * shares) * 16 + half * 8 + lane / 4, row = row_of(pixel);
            at[i][half] = pixel >= pixels
                              ? nullptr
                              : staged_phase + row * g.out_step * s.staged_row +
                                    (pixel - row * width) * g.out_step * s.staged_pixel;
          }
#pragma unroll
        for (int k = 0; k < kTiles; ++k)
#pragma unroll
          for (int side = 0; side < 2; ++side) {
            const int in_group = unit_channel + k * 8 + lane % 4 * 2 + side;
            if (in_group >= g.group_out) continue;
            const int channel = in_block * g.group_out + in_group;
            const float plus =
                g.has_bias ? to_float(static_cast<const Value*>(bias)[group * g.group_out + channel])
                           : 0.0f;
#pragma unroll
            for (int i = 0; i < kPixels; ++i)
#pragma unroll
              for (int half = 0; half < 2; ++half) {
                if (at[i][half] == nullptr) continue;
                float sum = sums[i][k][half * 2 + side];
                if (g.has_bias) sum += plus;
                // Not fmaxf, which would make a zero of NaN.
                if (g.relu && sum < 0) sum = 0;
                from_float(sum,
                           *reinterpret_cast<Value*>(at[i][half] + channel * s.staged_channel));
              }
          }
      }
    }
    __syncthreads();

    Runs runs;
    const int channels = groups_here * g.group_out;
    if (!g.channels_first) {
      runs.bytes = channels * kSize;
      runs.count_a = out_width;
      runs.count_b = out_height;
      runs.pitch_a = s.staged_pixel;
      runs.pitch_b = s.staged_row;
      runs.stride_a = static_cast<long long>(g.out.pixel) * kSize;
      runs.stride_b = g.out.width * runs.stride_a;
    } else {
      const bool whole = s.whole_planes != 0;
      const bool rows = g.tiles_w == 1;
      runs.bytes = (rows ? out_height * out_width : out_width) * (whole ? channels : 1) * kSize;
      runs.count_a = rows ? 1 : out_height;
      runs.count_b = whole ? 1 : channels;
      runs.pitch_a = s.staged_row;
      runs.pitch_b = s.staged_channel;
      runs.stride_a = static_cast<long long>(g.out.width) * kSize;
      runs.stride_b = static_cast<long long>(g.out.channel) * kSize;
    }
    store_runs<Value>(runs, staged, reinterpret_cast<unsigned char*>(out_first));
  }
}

// How many blocks a multiprocessor shall have registers for.
constexpr int blocks_of(int tiles) { return tiles <= 2 ? 3 : 2; }

}  // namespace

// atc_grouped_<math>_<kPixels>x<kTiles>
#define ATC_GROUPED(math, pixels, tiles)                                                        \
  extern "C" __global__ void __launch_bounds__(kThreads, blocks_of(tiles))                      \
      atc_grouped_##math##_##pixels##x##tiles(const __grid_constant__ StreamGeometry g,         \
                                              const void* in, const void* w, const void* bias,  \
                                              void* out) {                                      \
    where_possible([&] { stream<Math::math, pixels, tiles>(g, in, w, bias, out); });            \
  }
#define ATC_GROUPED_OF(math) \
  ATC_GROUPED(math, 8, 1)    \
  ATC_GROUPED(math, 4, 2)    \
  ATC_GROUPED(math, 4, 3)    \
  ATC_GROUPED(math, 4, 4)

ATC_GROUPED_OF(f16)
ATC_GROUPED_OF(bf16)
ATC_GROUPED_OF(tf32)

#undef ATC_GROUPED
#undef ATC_GROUPED_OF

}  // namespace atc::grouped
