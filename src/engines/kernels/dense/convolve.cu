// Forward and backward-data. A block computes a tile of filter rows x raster positions, with the
// mma instructions of warpgroups. The first warpgroup loads filters and positions into stages of
// shared memory; eight channels of a position lie side by side. The other warpgroups multiply. All
// taps use the same positions of a stage: a tap is an offset of the beginning of the matrix.
#include "device/cuda/kernels/float.cuh"
#include "engines/kernels/dense/geometry.hpp"
#include "engines/kernels/dense/warpgroup.cuh"
#include "engines/kernels/ptx.cuh"

namespace atc::dense {

namespace {

using cuda::from_float;
using cuda::to_float;

template <typename T>
constexpr ptx::Factors factors_of = ptx::Factors::f16;
template <>
constexpr ptx::Factors factors_of<__nv_bfloat16> = ptx::Factors::bf16;

constexpr int kEightRows = 8 * kUnitBytes;  // of a unit, bytes: they follow one another

// Warpgroups that multiply: kDown of them share positions, kAcross share filters.
template <int kColumns, int kRowGroups, int kColumnGroups>
struct Tile {
  static constexpr int kDown = kRowGroups, kAcross = kColumnGroups;
  static constexpr int kMultipliers = kDown * kAcross;
  static constexpr int kThreads = (kMultipliers + 1) * kWarpgroup;
  static constexpr int kTileRows = kDown * kRows;
  // setmaxnreg counts: registers of a producer thread (loads) and of a consumer thread
  // (multiplies). Summed over all threads of kBlocks blocks, they are at most the 65,536 registers
  // of a multiprocessor.
  static constexpr int kOfLoaders = kMultipliers == 1 ? 112 : 120;
  static constexpr int kOfMultipliers = kMultipliers == 1 ? 144 : 192;
  static constexpr int kBlocks = kMultipliers == 1 ? 2 : 1;  // of a multiprocessor
};

// The first position of a block. Its offsets in memory are counted from the first element of this
// image.
struct Start {
  long long image;      // of the problem
  int strip, in_image;  // in_image: the position in that strip
};

__device__ __forceinline__ int divide(int value, const Divisor& by) {
  return static_cast<int>(static_cast<unsigned long long>(static_cast<unsigned>(value)) *
                              by.factor >>
                          by.shift);
}

__device__ __forceinline__ Start start_of(const Geometry& g, int position) {
  const int strips = divide(position, g.per_image);
  Start start;
  start.image = divide(strips, g.per_strip);
  start.strip = strips - static_cast<int>(start.image) * g.strips;
  start.in_image = position - strips * (g.image_rows * g.pitch);
  return start;
}

struct Place {
  int image, strip, row, column;  // image: counted from the start's
};

// `row` is counted from the first row of the start's strip, `position` below from the start;
// neither is negative.
__device__ __forceinline__ Place place_of(const Geometry& g, const Start& start, int row,
                                          int column) {
  const int strips = divide(row, g.per_row), strip = strips + start.strip;
  Place place;
  place.column = column;
  place.row = row - strips * g.image_rows;
  place.image = divide(strip, g.per_strip);
  place.strip = strip - place.image * g.strips;
  return place;
}
__device__ __forceinline__ Place place_of(const Geometry& g, const Start& start, int position) {
  const int row = divide(start.in_image + position, g.per_pitch);
  return place_of(g, start, row, start.in_image + position - row * g.pitch);
}

// The pixel, or the pair of pixels, that a thread loads for a unit of channels. It is at `offset`
// bytes from the start's image; kNothing: zeros. Bits 0 and 1 of `place` say which of the two
// pixels have a position in the block. The other bits of `place` are the byte of the first pixel's
// position in a unit.
struct Slot {
  int place;
  unsigned offset;
};
constexpr unsigned kNothing = ~0u;

__device__ __forceinline__ Slot slot_of(const Geometry& g, const Start& start, int index) {
  Place place;
  int position = index, pair_column = 0;
  if (g.paired) {
    // Two elements are read at once: a pair, which begins at an even column of the image. `left` is
    // the image column of raster column 0. These are the pairs of a raster row, by raster columns:
    //   left even:  |0 1|2 3|4 5|
    //   left odd: |-1 0|1 2|3 4|
    // Slot 0 is pair number (start column / 2). It contains the start, or it is the pair before (if
    // `left` and the start column are odd). Pairs to the left of slot 0 contain no position of the
    // block.
    const int start_row = divide(start.in_image, g.per_pitch);
    const int pair = index + (start.in_image - start_row * g.pitch) / 2;
    const int line = divide(pair, g.per_line), row = start_row + line;
    place = place_of(g, start, row, 0);
    const int left = place.strip * g.strip_width - g.pad_w;
    place.column = (left & ~1) + (pair - line * (g.pitch / 2 + 1)) * 2 - left;
    pair_column = place.column + 1;
    position = row * g.pitch - start.in_image + place.column;
  } else {
    place = place_of(g, start, position);
  }
  const int h = place.row - g.pad_h, w = place.strip * g.strip_width + place.column - g.pad_w;
  const bool real = start.image + place.image < g.images &&
                    static_cast<unsigned>(h) < static_cast<unsigned>(g.in_height) &&
                    static_cast<unsigned>(w) < static_cast<unsigned>(g.in_width);
  const auto has = [&](int column, int at) {
    return column >= 0 && column < g.pitch && at >= 0 && at < g.halo_positions;
  };
  const int which = has(place.column, position) | (g.paired && has(pair_column, position + 1)) << 1;
  Slot slot;
  slot.place = position * kUnitBytes + which;
  const int offset = place.image * static_cast<int>(g.in_image) + h * g.in_width + w;
  slot.offset = real && which != 0 ? static_cast<unsigned>(offset) * 2 : kNothing;
  return slot;
}

__device__ __forceinline__ int out_offset(const Geometry& g, const Start& start, int position) {
  const Place place = place_of(g, start, position);
  const int q = place.strip * g.strip_width + place.column;
  const bool real = start.image + place.image < g.images && place.row < g.out_height &&
                    place.column < g.strip_width && q < g.out_width;
  return real ? place.image * static_cast<int>(g.out_image) + place.row * g.out_width + q : -1;
}

// Two units of channels, of one pixel or of a pair of pixels, while they are loaded into shared
// memory.
template <typename Word>
class Units {
 public:
  // Loads the channels from `from` on, which are `plane` bytes apart. Only the first `real` of them
  // are in the tensor; the others become zeros.
  __device__ __forceinline__ void load(const Slot& slot, const unsigned char* from, long long plane,
                                       int real) {
    place_ = slot.place;
    from += slot.offset;
    const bool there = slot.offset != kNothing;
    if (real >= 2 * kUnit) {
#pragma unroll
      for (int k = 0; k < 2 * kUnit; ++k, from = ptx::advance(from, plane)) load(k, there, from);
    } else {
#pragma unroll
      for (int k = 0; k < 2 * kUnit; ++k, from = ptx::advance(from, plane))
        load(k, there && k < real, from);
    }
  }
  // Stores the two units. `to` is the address, for the block's first position, of the first unit;
  // the second unit is `pitch` bytes later.
  __device__ __forceinline__ void store(unsigned char* to, int pitch) const {
    to += place_ & ~3;
#pragma unroll
    for (int unit = 0; unit < 2; ++unit, to += pitch) {
      if constexpr (sizeof(Word) == 2) {
        if ((place_ & 3) != 0) *reinterpret_cast<uint4*>(to) = pixel(unit, 0x5410);
      } else {
        // The order is such that eight threads together store to different banks.
        const int first = static_cast<int>(threadIdx.x) / 4 % 2;
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          const int which = first ^ i;
          if (place_ >> which & 1)
            *reinterpret_cast<uint4*>(to + which * kUnitBytes) =
                pixel(unit, which == 0 ? 0x5410 : 0x7632);
        }
      }
    }
  }

 private:
  __device__ __forceinline__ void load(int channel, bool there, const unsigned char* from) {
    words_[channel] = there ? __ldg(reinterpret_cast<const Word*>(from)) : 0u;
  }
  __device__ __forceinline__ uint4 pixel(int unit, unsigned halves) const {
    const unsigned* const of = words_ + unit * kUnit;
    return make_uint4(__byte_perm(of[0], of[1], halves), __byte_perm(of[2], of[3], halves),
                      __byte_perm(of[4], of[5], halves), __byte_perm(of[6], of[7], halves));
  }

  unsigned words_[2 * kUnit];
  int place_;
};

// Rounds the accumulators of a warpgroup and stores them, by way of shared memory: eight rows of a
// warp at a time, so that a warp stores neighbouring pixels of a channel. `table` has the offsets
// of the warpgroup's columns. A Word is one pixel or two pixels, in an even column and the next
// one.
template <typename T, int kColumns, typename Word>
__device__ __forceinline__ void store(const Geometry& g, const float (&sums)[kColumns / 2],
                                      const T* bias, T* out, int first_row, const int* table,
                                      unsigned char* staging) {
  constexpr int kPitch = kColumns + kBankPadding, kPixels = sizeof(Word) / sizeof(T);
  constexpr int kWords = kColumns / 32 / kPixels;  // of a thread in a row
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) % kWarpgroup / 32;
  T* const tile = reinterpret_cast<T*>(staging) + warp * kRowsAtOnce * kPitch;
  int offsets[kWords];
#pragma unroll
  for (int i = 0; i < kWords; ++i) offsets[i] = table[(i * 32 + lane) * kPixels];
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int half_row = first_row + (warp * 2 + half) * kRowsAtOnce;
    const int rows = min(kRowsAtOnce, g.out_channels - half_row);
    T* const half_out = out + static_cast<long long>(half_row) * g.out_plane;
    // Calls move(word in memory, word in the tile) for all words of a thread.
    const auto for_words = [&](const auto& move) {
      T* in_memory = half_out;
      const T* const end = tile + rows * kPitch;
#pragma unroll 2
      for (T* in_tile = tile; in_tile < end; in_tile += kPitch) {
#pragma unroll
        for (int i = 0; i < kWords; ++i)
          if (offsets[i] >= 0)
            move(*reinterpret_cast<Word*>(in_memory + offsets[i]),
                 *reinterpret_cast<Word*>(in_tile + (i * 32 + lane) * kPixels));
        in_memory += g.out_plane;
      }
      __syncwarp();
    };
    if (g.accumulate) for_words([](const Word& memory, Word& in_tile) { in_tile = memory; });
    const int row = lane / 4;
    const float add = g.has_bias && row < rows ? to_float(bias[half_row + row]) : 0.0f;
#pragma unroll
    for (int j = 0; j < kColumns / 8; ++j) {
      T* const pair = tile + row * kPitch + j * 8 + lane % 4 * 2;
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        float value = sums[j * 4 + half * 2 + i] + add;
        if (g.accumulate) value += to_float(pair[i]);
        if (g.relu && value < 0.0f) value = 0.0f;
        from_float(value, pair[i]);
      }
    }
    __syncwarp();
    for_words([](Word& memory, const Word& in_tile) { memory = in_tile; });
  }
}

// A tile of the output.
struct Target {
  Start start;  // of its columns
  int row;      // first

  __device__ Target(const Geometry& g, int tile)
      : Target(g, divide(tile, g.per_row_tile), tile) {}

 private:
  __device__ Target(const Geometry& g, int column_tile, int tile)
      : start(start_of(g, column_tile * g.tile_columns)),
        row((tile - column_tile * g.row_tiles) * g.tile_rows) {}
};

// A tile to be computed, or a part of its sum: over some chunks of the channels.
struct Task {
  int tile;
  int part;        // its number; -1: the whole tile
  int chunk, end;  // the first, and one past the last

  __device__ Task(const Geometry& g, int index) : tile(index), part(-1), chunk(0), end(g.chunks) {
    if (index < g.whole_tiles) return;
    part = index - g.whole_tiles;
    const int cut = part / g.splits;
    tile = g.whole_tiles + cut;
    chunk = (part - cut * g.splits) * g.split_chunks;
    end = min(chunk + g.split_chunks, g.chunks);
  }
};

template <typename T, int kColumns>
__device__ __forceinline__ void store_sums(const Geometry& g, const float (&sums)[kColumns / 2],
                                           const T* bias, T* out, const Target& target, int down,
                                           const int* table, unsigned char* staging) {
  T* const image_out = out + target.start.image * g.out_image;
  const int row = target.row + down * kRows;
  if (g.out_paired)
    store<T, kColumns, unsigned>(g, sums, bias, image_out, row, table, staging);
  else
    store<T, kColumns, unsigned short>(g, sums, bias, image_out, row, table, staging);
}

// Writes the offsets of a warpgroup's columns for all its threads, after they are done with the old
// ones. All of them call it.
template <int kColumns>
__device__ __forceinline__ void fill_table(const Geometry& g, const Start& start, int first_column,
                                           int* table, int barrier) {
  ptx::meet(barrier, kWarpgroup);
  for (int i = static_cast<int>(threadIdx.x) % kWarpgroup; i < kColumns; i += kWarpgroup)
    table[i] = out_offset(g, start, first_column + i);
  ptx::meet(barrier, kWarpgroup);
}

// The address at which a part of a tile keeps the accumulators of this thread of a warpgroup. For
// each eight columns a thread has four accumulators, which are one word. These words are kWarpgroup
// words apart.
template <typename Words>
__device__ __forceinline__ Words* words_of(const Geometry& g, Words* parts, int part,
                                           int multiplier) {
  const long long group_words = kRows / 4 * g.group_columns;
  const int groups = g.tile_rows * g.tile_columns / (kRows * g.group_columns);
  return parts + (static_cast<long long>(part) * groups + multiplier) * group_words +
         threadIdx.x % kWarpgroup;
}

// Numbers of barriers: of the warpgroup that loads, and of the first warpgroup that multiplies.
// Each further warpgroup that multiplies has the next number.
constexpr int kLoadersBarrier = 1, kMultipliersBarrier = 2;

// The stage that a warpgroup fills or empties next, and the parity of the phase for which it waits
// then.
struct Turn {
  int stage = 0;
  unsigned parity;
  __device__ __forceinline__ void next(const Geometry& g) {
    if (++stage == g.stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

// Where in shared memory the filters of a chunk are.
__device__ __forceinline__ int filters_of(const Geometry& g, int chunk, int stage) {
  return g.filters_at + (g.keeps_filters ? chunk : stage) * g.filter_bytes;
}

// The steps of a loading thread for a task, in order. The thread loads its share of each chunk; all
// threads need equally many steps. The slots of the first two units come first.
struct Step {
  int chunk, count, unit, slot;  // in the last steps of a chunk, `unit` may be past its end

  __device__ __forceinline__ Step(const Geometry& g, int first) : chunk(first) { begin(g); }
  // True after the last step of a chunk.
  __device__ __forceinline__ bool next(const Geometry& g) {
    if (++count == g.steps) {
      ++chunk;
      begin(g);
      return true;
    }
    slot += kWarpgroup;
    settle(g);
    return false;
  }

 private:
  __device__ __forceinline__ void begin(const Geometry& g) {
    count = unit = 0;
    slot = static_cast<int>(threadIdx.x);
    settle(g);
  }
  __device__ __forceinline__ void settle(const Geometry& g) {
    for (; slot >= g.slots; slot -= g.slots) unit += 2;
  }
};

template <typename Word>
__device__ __forceinline__ void load_tiles(const Geometry& g, const unsigned char* in,
                                           const unsigned char* filters, unsigned char* shared) {
  constexpr int kAtOnce = 3;  // steps of a thread under way
  const unsigned filled = ptx::shared_address(shared), emptied = filled + 8 * kMostStages;
  Slot* const slots = reinterpret_cast<Slot*>(shared + g.slots_at);
  const int thread = static_cast<int>(threadIdx.x);
  const long long plane = static_cast<long long>(g.in_plane) * 2;
  Turn turn{0, 1};
  unsigned kept = 0;  // a bit for each chunk whose filters are there to stay
  for (int index = static_cast<int>(blockIdx.x); index < g.tasks;
       index += static_cast<int>(gridDim.x)) {
    const Task task(g, index);
    const Target target(g, task.tile);
    ptx::meet(kLoadersBarrier, kWarpgroup);
    for (int i = thread; i < g.slots; i += kWarpgroup) slots[i] = slot_of(g, target.start, i);
    ptx::meet(kLoadersBarrier, kWarpgroup);
    const unsigned char* const image = in + target.start.image * g.in_image * 2;
    const unsigned char* const tile_filters =
        filters + static_cast<long long>(target.row / g.tile_rows) * g.chunks * g.filter_bytes;

    Units<Word> units[kAtOnce];
    Step ahead(g, task.chunk), now(g, task.chunk);
    const auto load = [&](Units<Word>& to) {
      const int channel = (ahead.chunk * g.chunk_units + ahead.unit) * kUnit;
      const Slot slot = ahead.unit < g.chunk_units ? slots[ahead.slot] : Slot{0, kNothing};
      to.load(slot, image + channel * plane, plane, g.in_channels - channel);
      ahead.next(g);
    };
    const auto store = [&](const Units<Word>& from) {
      if (now.count == 0) {
        ptx::barrier_wait(emptied + turn.stage * 8, turn.parity);
        if (thread == 0 && !(g.keeps_filters && (kept >> now.chunk & 1) != 0))
          ptx::copy_bulk(ptx::shared_address(shared + filters_of(g, now.chunk, turn.stage)),
                         tile_filters + static_cast<long long>(now.chunk) * g.filter_bytes,
                         g.filter_bytes, filled + turn.stage * 8);
        if (g.keeps_filters) kept |= 1u << now.chunk;
      }
      const int pitch = g.halo_positions * kUnitBytes;
      from.store(shared + g.stages_at + turn.stage * g.stage_bytes + now.unit * pitch, pitch);
      if (now.next(g)) {
        ptx::fence_shared_for_products();
        ptx::barrier_arrive(filled + turn.stage * 8);
        turn.next(g);
      }
    };
    for (bool begun = false; now.chunk < task.end; begun = true) {
#pragma unroll
      for (Units<Word>& of : units) {
        if (begun && now.chunk < task.end) store(of);
        if (ahead.chunk < task.end) load(of);
      }
    }
  }
}

template <typename T, int kColumns, typename Tile>
__device__ __forceinline__ void multiply_tiles(const Geometry& g, const T* bias, T* out,
                                               float4* parts, unsigned char* shared) {
  const unsigned filled = ptx::shared_address(shared), emptied = filled + 8 * kMostStages;
  const int thread = static_cast<int>(threadIdx.x) % kWarpgroup;
  const int multiplier = static_cast<int>(threadIdx.x) / kWarpgroup - 1;
  const int down = multiplier % Tile::kDown, across = multiplier / Tile::kDown;
  int* const table = reinterpret_cast<int*>(shared + g.out_tables_at) + multiplier * kColumns;
  unsigned char* const staging =
      shared + g.staging_at + multiplier * staging_bytes(kColumns);
  const int filter_pitch = Tile::kTileRows * kUnitBytes;
  const int position_pitch = g.halo_positions * kUnitBytes;
  float sums[kColumns / 2];
  Turn turn{0, 0};
  for (int index = static_cast<int>(blockIdx.x); index < g.tasks;
       index += static_cast<int>(gridDim.x)) {
    const Task task(g, index);
    const Target target(g, task.tile);
    if (task.part < 0)
      fill_table<kColumns>(g, target.start, across * kColumns, table,
                           kMultipliersBarrier + multiplier);
#pragma unroll
    for (float& sum : sums) sum = 0.0f;
    int before = 0;
    for (int chunk = task.chunk; chunk < task.end; ++chunk) {
      ptx::barrier_wait(filled + turn.stage * 8, turn.parity);
      const unsigned filters = ptx::shared_address(shared + filters_of(g, chunk, turn.stage));
      const unsigned positions =
          ptx::shared_address(shared + g.stages_at + turn.stage * g.stage_bytes);
      std::uint64_t a =
          ptx::factor_in_shared(filters + down * kRows * kUnitBytes, kEightRows, filter_pitch);
      const std::uint64_t b = ptx::factor_in_shared(positions + across * kColumns * kUnitBytes,
                                                    kEightRows, position_pitch);
      ptx::begin_products();
      if (g.taps_h == 3 && g.taps_w == 3 && g.chunk_units == 2) {
#pragma unroll
        for (int tap = 0; tap < 9; ++tap)
          ptx::multiply_add<factors_of<T>, kColumns>(sums, a + tap * 2 * Tile::kTileRows,
                                    b + (tap / 3 * g.tap_row + tap % 3 * g.tap_column));
      } else {
#pragma unroll 1
        for (int r = 0; r < g.taps_h; ++r)
#pragma unroll 1
          for (int s = 0; s < g.taps_w; ++s)
#pragma unroll 1
            for (int unit = 0; unit < g.chunk_units; unit += 2) {
              ptx::multiply_add<factors_of<T>, kColumns>(
                  sums, a, b + (r * g.tap_row + s * g.tap_column + unit * g.halo_positions));
              a += 2 * Tile::kTileRows;
            }
      }
      ptx::end_products();
      // The products of the previous stage are done, so that stage may be filled again.
      ptx::wait_products<1>();
      if (chunk > task.chunk && thread % 32 == 0) ptx::barrier_arrive(emptied + before * 8);
      before = turn.stage;
      turn.next(g);
    }
    ptx::wait_products<0>();
    if (thread % 32 == 0) ptx::barrier_arrive(emptied + before * 8);
    if (task.part < 0) {
      store_sums<T, kColumns>(g, sums, bias, out, target, down, table, staging);
    } else {
      float4* const words = words_of(g, parts, task.part, multiplier);
#pragma unroll
      for (int i = 0; i < kColumns / 8; ++i)
        words[i * kWarpgroup] =
            make_float4(sums[4 * i], sums[4 * i + 1], sums[4 * i + 2], sums[4 * i + 3]);
    }
  }
}

template <typename T, int kColumns, int kDown, int kAcross>
__device__ __forceinline__ void convolve(const Geometry& g, const T* in,
                                         const unsigned char* filters, const T* bias, T* out,
                                         float4* parts) {
  using Tile = Tile<kColumns, kDown, kAcross>;
  unsigned char* const shared = ptx::dynamic_shared();
  if (threadIdx.x == 0) {
    const unsigned filled = ptx::shared_address(shared), emptied = filled + 8 * kMostStages;
    for (int stage = 0; stage < g.stages; ++stage) {
      ptx::barrier_init(filled + stage * 8, kWarpgroup);
      ptx::barrier_init(emptied + stage * 8, Tile::kMultipliers * kWarpgroup / 32);
    }
    ptx::fence_barrier_init();
  }
  __syncthreads();
  if (threadIdx.x < kWarpgroup) {
    ptx::give_up_registers<Tile::kOfLoaders>();
    const unsigned char* const bytes = reinterpret_cast<const unsigned char*>(in);
    if (g.paired)
      load_tiles<unsigned>(g, bytes, filters, shared);
    else
      load_tiles<unsigned short>(g, bytes, filters, shared);
  } else {
    ptx::take_registers<Tile::kOfMultipliers>();
    multiply_tiles<T, kColumns, Tile>(g, bias, out, parts, shared);
  }
}

// Adds the parts of a slice of a cut tile, in order, and stores the sums. A block is one warpgroup;
// a slice is kSliceColumns columns of the rows of a warpgroup.
template <typename T>
__device__ __forceinline__ void sum_parts(const Geometry& g, const float4* parts, const T* bias,
                                          T* out) {
  constexpr int kWords = kSliceColumns / 8;
  unsigned char* const staging = ptx::dynamic_shared();
  int* const table = reinterpret_cast<int*>(staging + staging_bytes(kSliceColumns));
  const int group_slices = g.group_columns / kSliceColumns, downs = g.tile_rows / kRows;
  const int tile_slices = downs * g.tile_columns / kSliceColumns;
  const int cut = static_cast<int>(blockIdx.x) / tile_slices;
  const int slice = static_cast<int>(blockIdx.x) - cut * tile_slices;
  const int multiplier = slice / group_slices, slice_of_group = slice - multiplier * group_slices;
  const int down = multiplier % downs, across = multiplier / downs;
  const Target target(g, g.whole_tiles + cut);
  fill_table<kSliceColumns>(g, target.start,
                            across * g.group_columns + slice_of_group * kSliceColumns, table,
                            kLoadersBarrier);
  float sums[kSliceColumns / 2] = {};
#pragma unroll 4
  for (int split = 0; split < g.splits; ++split) {
    const float4* const words = words_of(g, parts, cut * g.splits + split, multiplier) +
                                slice_of_group * kWords * kWarpgroup;
#pragma unroll
    for (int i = 0; i < kWords; ++i) {
      const float4 four = words[i * kWarpgroup];
      sums[4 * i] += four.x;
      sums[4 * i + 1] += four.y;
      sums[4 * i + 2] += four.z;
      sums[4 * i + 3] += four.w;
    }
  }
  store_sums<T, kSliceColumns>(g, sums, bias, out, target, down, table, staging);
}

}  // namespace

// NAME(geometry, in, filters, bias, out, parts), with the filters as the kernel of filters.cu packs
// them. Tiles that are cut into parts are written by the kernel that adds the parts,
// atc_dense_<type>_sum(geometry, parts, bias, out).
#define ATC_DENSE_KERNEL(name, T, columns, down, across)                                  \
  extern "C" __global__ void __launch_bounds__((Tile<columns, down, across>::kThreads),   \
                                               (Tile<columns, down, across>::kBlocks))    \
      name(const __grid_constant__ Geometry g, const T* in, const unsigned char* filters, \
           const T* bias, T* out, float4* parts) {                                        \
    convolve<T, columns, down, across>(g, in, filters, bias, out, parts);                 \
  }
#define ATC_DENSE_SUM(name, T)                                                               \
  extern "C" __global__ void __launch_bounds__(kWarpgroup)                                   \
      name(const __grid_constant__ Geometry g, const float4* parts, const T* bias, T* out) { \
    sum_parts<T>(g, parts, bias, out);                                                       \
  }

ATC_DENSE_KERNEL(atc_dense_f16_64x128, __half, 128, 1, 1)
ATC_DENSE_KERNEL(atc_dense_f16_64x192, __half, 192, 1, 1)
ATC_DENSE_KERNEL(atc_dense_f16_128x256, __half, 256, 2, 1)
ATC_DENSE_KERNEL(atc_dense_f16_64x512, __half, 256, 1, 2)
ATC_DENSE_KERNEL(atc_dense_bf16_64x128, __nv_bfloat16, 128, 1, 1)
ATC_DENSE_KERNEL(atc_dense_bf16_64x192, __nv_bfloat16, 192, 1, 1)
ATC_DENSE_KERNEL(atc_dense_bf16_128x256, __nv_bfloat16, 256, 2, 1)
ATC_DENSE_KERNEL(atc_dense_bf16_64x512, __nv_bfloat16, 256, 1, 2)
ATC_DENSE_SUM(atc_dense_f16_sum, __half)
ATC_DENSE_SUM(atc_dense_bf16_sum, __nv_bfloat16)

#undef ATC_DENSE_SUM
#undef ATC_DENSE_KERNEL

}  // namespace atc::dense
