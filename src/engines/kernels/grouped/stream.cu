// Forward and backward-data of small groups. A block has the filters of its groups in shared memory
// for good; input of the next tile is on its way while a tile is multiplied, and outputs leave
// through shared memory in runs as long as memory has them.
#include "engines/kernels/grouped/geometry.hpp"
#include "engines/kernels/implicit/tile.cuh"

namespace atc::grouped {

namespace {

using namespace implicit;

__device__ inline int lead_of(const void* pointer) {
  return static_cast<int>(reinterpret_cast<unsigned long long>(pointer) % kChunk);
}

// A team's shares of rows of `width`, row after row.
class Walk {
 public:
  __device__ Walk(const Team& team, int width) : row(0), column(team.first), width_(width) { wrap(); }
  __device__ void next(const Team& team) {
    column += team.step;
    wrap();
  }
  int row, column;

 private:
  __device__ void wrap() {
    while (column >= width_) {
      column -= width_;
      ++row;
    }
  }
  int width_;
};

// Starts copies of the whole chunks that a run of bytes meets, as far as they are before `end`;
// `to` is that of the first byte, and modulo 16 what `run` is.
__device__ inline void load_run(const Team& team, const unsigned char* run, int bytes,
                                const unsigned char* end, unsigned to) {
  const int lead = lead_of(run);
  run -= lead;
  to -= static_cast<unsigned>(lead);
  for (int at = team.sub * kChunk; at < bytes + lead; at += team.lanes * kChunk) {
    const long long left = end - (run + at);
    ptx::copy_async_some(to + static_cast<unsigned>(at), run + at,
                         left < kChunk ? static_cast<int>(left) : kChunk);
  }
}

// The inverse, of elements.
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

// The filters of a block's units, all phases: rows of `filter_pitch` bytes, zeros where a unit has
// no more channels.
template <Math kMath, int kTiles>
__device__ void load_filters(const StreamGeometry& s, const Element<kMath>* w, int group,
                             int groups_here, unsigned char* to) {
  constexpr int kWidth = Chunk<kMath>::kWidth;
  const Geometry& g = s.g;
  const int chunks = s.phase_begin[g.phases_h * g.phases_w], rows_of_group = g.units * kTiles * 8;
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

// Images of one block's groups.
template <Math kMath, bool kFirst>
class Input {
 public:
  using Value = Element<kMath>;
  static constexpr int kSize = sizeof(Value), kWidth = Chunk<kMath>::kWidth;

  __device__ Input(const StreamGeometry& s, const void* in, int group, int groups_here,
                   unsigned char* shared)
      : s_(s), shared_(shared), channels_(groups_here * s.g.group_in) {
    first_ = static_cast<const Value*>(in) +
             static_cast<long long>(group * s.g.group_in) * s.g.in.channel;
    end_ = reinterpret_cast<const unsigned char*>(static_cast<const Value*>(in) +
                                                  s.images * s.g.in.image);
    chunks_ = groups_here * s.g.tap_chunks;
  }

  // Starts to load a tile, into the halo of this turn or as it is in memory.
  __device__ void start(const Tile& tile, int turn) const {
    const Geometry& g = s_.g;
    const Team team(s_.load_shift);
    if constexpr (kFirst) {
      const int rows = tile.row_end - tile.row_begin;
      const int columns = max(tile.column_end - tile.column_begin, 0);
      const auto* const from = reinterpret_cast<const unsigned char*>(inside_of(tile));
      const unsigned to =
          ptx::shared_address(shared_ + s_.raw_at) + static_cast<unsigned>(lead_of(from));
      const int bytes = columns * kSize;
      const int runs = columns == 0 ? 0 : s_.whole_rows && rows > 0 ? 1 : rows;
      for (int channel = team.first; channel < channels_; channel += team.step)
        for (int row = 0; row < runs; ++row)
          load_run(team,
                   from + (static_cast<long long>(channel) * g.in.channel + row * g.in.width) * kSize,
                   s_.whole_rows ? rows * bytes : bytes, end_,
                   to + static_cast<unsigned>(channel * s_.raw_channel + row * s_.raw_row));
    } else {
      const Value* const image = first_ + tile.image * g.in.image;
      const unsigned to =
          ptx::shared_address(shared_ + g.halo_at) + static_cast<unsigned>(turn * s_.halo_bytes);
      for (Walk at(team, tile.halo_w); at.row < tile.halo_h; at.next(team)) {
        const int h = tile.halo_top + at.row, w = tile.halo_left + at.column;
        const bool real = inside(g.in, h, w);
        const Value* const from =
            image + (real ? static_cast<long long>(h * g.in.width + w) * g.in.pixel : 0);
        for (int chunk = team.sub; chunk < chunks_; chunk += team.lanes)
          ptx::copy_async_16(to + static_cast<unsigned>(at.row * g.row_pitch +
                                                        at.column * g.pixel_pitch + chunk * kChunk),
                             from + chunk * kWidth, real);
      }
    }
    ptx::commit_async();
  }

  // Makes factors of what was loaded; channels last, of what this thread has loaded.
  __device__ void finish(const Tile& tile, int turn) const {
    if constexpr (kFirst) {
      transpose(tile);
    } else if constexpr (kMath == Math::tf32) {
      const Geometry& g = s_.g;
      const Team team(s_.load_shift);
      unsigned char* const halo = shared_ + g.halo_at + turn * s_.halo_bytes;
      for (Walk at(team, tile.halo_w); at.row < tile.halo_h; at.next(team))
        for (int chunk = team.sub; chunk < chunks_; chunk += team.lanes) {
          auto* const place = reinterpret_cast<float4*>(
              halo + at.row * g.row_pitch + at.column * g.pixel_pitch + chunk * kChunk);
          const float4 raw = *place;
          *place = make_float4(as_factor<kMath>(raw.x), as_factor<kMath>(raw.y),
                               as_factor<kMath>(raw.z), as_factor<kMath>(raw.w));
        }
    }
  }

 private:
  __device__ const Value* inside_of(const Tile& tile) const {
    return first_ + tile.image * s_.g.in.image +
           (tile.row_begin * s_.g.in.width + tile.column_begin);
  }

  // From rows of a channel's pixels to chunks of a pixel's channels.
  __device__ void transpose(const Tile& tile) const {
    const Geometry& g = s_.g;
    const Team team(s_.halo_shift);
    const unsigned char* const raw = shared_ + s_.raw_at + lead_of(inside_of(tile)) -
                                     tile.row_begin * s_.raw_row - tile.column_begin * kSize;
    const bool full = g.group_in % kWidth == 0;
    const int pitch = s_.raw_channel;
    for (Walk at(team, tile.halo_h); at.row < chunks_; at.next(team)) {
      const int h = tile.halo_top + at.column;
      int channel = at.row * kWidth, count = kWidth;
      if (!full) {
        const int group = at.row / g.tap_chunks, in_group = (at.row - group * g.tap_chunks) * kWidth;
        channel = group * g.group_in + in_group;
        count = g.group_in - in_group;
      }
      const unsigned char* const line = raw + channel * pitch + h * s_.raw_row;
      unsigned char* const to =
          shared_ + g.halo_at + at.column * g.row_pitch + at.row * kChunk;
      for (int column = team.sub; column < tile.halo_w; column += team.lanes) {
        const int w = tile.halo_left + column;
        Chunk<kMath> chunk;
        chunk.words = make_uint4(0, 0, 0, 0);
        if (inside(g.in, h, w)) {
          const unsigned char* const from = line + w * kSize;
          if (count >= kWidth) {
#pragma unroll
            for (int i = 0; i < kWidth; ++i)
              chunk.elements[i] =
                  as_factor<kMath>(*reinterpret_cast<const Value*>(from + i * pitch));
          } else {
#pragma unroll
            for (int i = 0; i < kWidth; ++i)
              if (i < count)
                chunk.elements[i] =
                    as_factor<kMath>(*reinterpret_cast<const Value*>(from + i * pitch));
          }
        }
        *reinterpret_cast<uint4*>(to + column * g.pixel_pitch) = chunk.words;
      }
    }
  }

  const StreamGeometry& s_;
  unsigned char* shared_;
  const Value* first_;
  const unsigned char* end_;
  int channels_, chunks_;
};

// Two neighbouring channels of a pixel.
template <typename Value>
struct alignas(2 * sizeof(Value)) Pair {
  Value values[2];
};

// kPixels: sixteens of pixels of a warp at once; kTiles: eights of channels of a unit.
template <Math kMath, int kPixels, int kTiles, bool kFirst>
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
  const Input<kMath, kFirst> input(s, in, group, groups_here, shared);
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
  const int my_channel = unit_channel + lane % 4 * 2;
  const bool whole_units = g.units * kTiles * 8 == g.group_out;
  // What leaves any sum as it is where there is no bias, or no relu.
  const float least = g.relu ? 0.0f : -__int_as_float(0x7f800000);
  float plus[kTiles][2];
#pragma unroll
  for (int k = 0; k < kTiles; ++k)
#pragma unroll
    for (int side = 0; side < 2; ++side) {
      const int channel = my_channel + k * 8 + side;
      plus[k][side] =
          g.has_bias && busy && channel < g.group_out
              ? to_float(static_cast<const Value*>(bias)[(group + in_block) * g.group_out + channel])
              : -0.0f;
    }
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
    if constexpr (kFirst) __syncthreads();
    input.finish(tile, turn);
    __syncthreads();
    const int top = tile.top, left = tile.left;
    const long long image = tile.image;
    const auto halo = halo_at + static_cast<unsigned>(turn * s.halo_bytes);
    if (item + s.workers < items) {
      tile = tile_at(s, item + s.workers);
      if constexpr (!kFirst) turn ^= 1;
      input.start(tile, turn);
    }

    // The block's outputs: rows and columns of all phases.
    const int out_top = top * g.out_step, out_left = left * g.out_step;
    const int out_height = min(g.tile_h * g.out_step, g.out.height - out_top);
    const int out_width = min(g.tile_w * g.out_step, g.out.width - out_left);
    auto* const out_first = reinterpret_cast<unsigned char*>(
        to + image * g.out.image +
        static_cast<long long>(out_top * g.out.width + out_left) * g.out.pixel);
    unsigned char* const from = shared + s.staged_at + lead_of(out_first);

    for (int phase = 0; phase < g.phases_h * g.phases_w; ++phase) {
      const int phase_h = phase / g.phases_w, phase_w = phase - phase_h * g.phases_w;
      const int height = min(g.tile_h, g.rows[phase_h].outputs - top);
      const int width = min(g.tile_w, g.columns[phase_w].outputs - left);
      const int pixels = max(height, 0) * max(width, 0);
      const int begin = s.phase_begin[phase], end = s.phase_begin[phase + 1];
      if (!busy || pixels == 0) continue;
      // A quotient by the width: pixels * width is below 2^20.
      const unsigned inverse = (1u << 20) / static_cast<unsigned>(width) + 1;
      const auto row_of = [&](int pixel) {
        return static_cast<int>(static_cast<unsigned>(pixel) * inverse >> 20);
      };
      // From a pixel to the next, and what is added at each new row.
      const int halo_column = g.step * g.pixel_pitch;
      const int halo_turn = g.step * g.row_pitch - width * halo_column;
      const int staged_column = g.out_step * s.staged_pixel;
      const int staged_turn = g.out_step * s.staged_row - width * staged_column;
      unsigned char* const staged = from + phase_h * s.staged_row + phase_w * s.staged_pixel +
                                    (in_block * g.group_out + my_channel) * s.staged_channel;
      for (int first = share; first * 16 < pixels; first += shares * kPixels) {
        unsigned pixel_at[kPixels];
#pragma unroll
        for (int i = 0; i < kPixels; ++i) {
          int pixel = (first + i * shares) * 16 + lane % 16;
          if (pixel >= pixels) pixel = 0;  // any: nothing comes of it
          pixel_at[i] = halo + static_cast<unsigned>(pixel * halo_column + row_of(pixel) * halo_turn);
        }
        float sums[kPixels][kTiles][4] = {};
        const auto multiply = [&](int chunk, auto two, auto all) {
          const auto is_real = [&](int i) {
            return decltype(all)::value || (first + i * shares) * 16 < pixels;
          };
          const auto offset = static_cast<unsigned>(my_table[chunk]);
          unsigned b[(kTiles + 1) / 2][4], a[kPixels][4];
#pragma unroll
          for (int pair = 0; pair < (kTiles + 1) / 2; ++pair)
            ptx::load_matrices(b[pair], filter_at + static_cast<unsigned>(
                                                        chunk * kChunk + pair * 16 * g.filter_pitch));
#pragma unroll
          for (int i = 0; i < kPixels; ++i)
            if (is_real(i)) ptx::load_matrices(a[i], pixel_at[i] + offset);
#pragma unroll
          for (int i = 0; i < kPixels; ++i) {
            if (!is_real(i)) continue;
#pragma unroll
            for (int k = 0; k < kTiles; ++k) {
              const unsigned* const words = &b[k / 2][k % 2 * 2];
              if constexpr (decltype(two)::value)
                ptx::multiply_add<kFactors<kMath>>(sums[i][k], a[i], words[0], words[1]);
              else
                ptx::multiply_add_one<kFactors<kMath>>(sums[i][k], a[i], words[0]);
            }
          }
        };
        const auto multiply_all = [&](auto all) {
          int chunk = begin;
          for (; chunk + 1 < end; chunk += 2) multiply(chunk, std::true_type(), all);
          if (chunk < end) multiply(chunk, std::false_type(), all);
        };
        if ((first + (kPixels - 1) * shares) * 16 < pixels)
          multiply_all(std::true_type());
        else
          multiply_all(std::false_type());

        // With bias and relu, as elements into shared memory.
        const auto stage = [&](auto whole) {
          constexpr bool kWhole = decltype(whole)::value;
#pragma unroll
          for (int i = 0; i < kPixels; ++i)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
              const int pixel = (first + i * shares) * 16 + half * 8 + lane / 4;
              if (pixel >= pixels) continue;
              unsigned char* const at =
                  staged + pixel * staged_column + row_of(pixel) * staged_turn;
#pragma unroll
              for (int k = 0; k < kTiles; ++k) {
                Pair<Value> pair;
#pragma unroll
                for (int side = 0; side < 2; ++side) {
                  float sum = sums[i][k][half * 2 + side] + plus[k][side];
                  // Not fmaxf, which would make a zero of NaN.
                  if (sum < least) sum = 0;
                  from_float(sum, pair.values[side]);
                }
                if constexpr (kWhole && !kFirst) {
                  *reinterpret_cast<Pair<Value>*>(at + k * 8 * kSize) = pair;
                } else {
#pragma unroll
                  for (int side = 0; side < 2; ++side)
                    if (kWhole || my_channel + k * 8 + side < g.group_out)
                      *reinterpret_cast<Value*>(at + (k * 8 + side) * s.staged_channel) =
                          pair.values[side];
                }
              }
            }
        };
        if (whole_units)
          stage(std::true_type());
        else
          stage(std::false_type());
      }
    }
    __syncthreads();

    const Team team(s.store_shift);
    const int channels = groups_here * g.group_out;
    if constexpr (kFirst) {
      const bool rows = g.tiles_w == 1, planes = s.whole_planes != 0;
      const int bytes =
          (planes ? channels : 1) * (rows ? out_height : 1) * out_width * kSize;
      for (int channel = team.first; channel < (planes ? 1 : channels); channel += team.step)
        for (int row = 0; row < (rows ? 1 : out_height); ++row)
          store_run<Value>(
              team, from + channel * s.staged_channel + row * s.staged_row, bytes,
              out_first + (static_cast<long long>(channel) * g.out.channel + row * g.out.width) * kSize);
    } else {
      for (Walk at(team, out_width); at.row < out_height; at.next(team))
        store_run<Value>(team, from + at.row * s.staged_row + at.column * s.staged_pixel,
                         channels * kSize,
                         out_first + static_cast<long long>(at.row * g.out.width + at.column) *
                                         g.out.pixel * kSize);
    }
  }
}

// How many blocks a multiprocessor shall have registers for.
constexpr int blocks_of(int tiles) { return tiles <= 2 ? 3 : 2; }

}  // namespace

// atc_grouped_<layout>_<math>_<kPixels>x<kTiles>
#define ATC_GROUPED(layout, first, math, pixels, tiles)                                            \
  extern "C" __global__ void __launch_bounds__(kThreads, blocks_of(tiles))                         \
      atc_grouped_##layout##_##math##_##pixels##x##tiles(const __grid_constant__ StreamGeometry g, \
                                                         const void* in, const void* w,            \
                                                         const void* bias, void* out) {            \
    where_possible([&] { stream<Math::math, pixels, tiles, first>(g, in, w, bias, out); });        \
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
