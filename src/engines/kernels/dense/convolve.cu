// This kernel computes forward and backward-data of one group with stride 1, channels first, in
// fp16 or bf16. It needs compute capability 9.0a.
//
// The kernel computes (a position is a place on the raster of all images):
//   out[k, position] = sum over taps and c of filters[tap][k, c] * in[c, position + offset of the
//   tap]
//
// In the matrix product, M is output channels, N is positions of the raster (geometry.hpp), and K
// is taps x input channels. A block is persistent: it computes one tile after the other. Its first
// warpgroup is the producer, which loads chunks of channels into stages. The other warpgroups are
// consumers: each computes 64 output channels and kN positions by wgmma. All taps of a stage read
// the same data in shared memory: for another tap, only the start address in the descriptor of
// operand B changes.
//
// Contract. A unit is 8 channels, a chunk is the units of one stage
//  in, out   dense tensors, aligned to an element. If g.paired (g.out_paired) is set, in (out) is
//            aligned to 4 bytes
//  filters   [row tile][chunk][tap][unit][row][8 channels], as filters.cu packs them; aligned to
//            16 bytes
//  bias      of the type of out; not read unless g.has_bias is set
//  partials  [part][consumer][4 accumulators of 128 threads]; aligned to 16 bytes; used if tiles
//            are split (split-K)
//  refused   other strides, groups, filters of one tap, up to 4 channels (`objection` in
//            shape.cpp)
//
// Shared memory, by offset in bytes
//   0                the mbarriers: 8 bytes for the full barrier of each stage, then 8 bytes for
//                    the empty barrier of each stage
//   g.slots_at       the loads of a tile: 8 bytes for each of g.slots
//   g.out_tables_at  the offsets of a tile's columns in `out`: 4 bytes for each of kN columns of
//                    each consumer
//   g.staging_at     the outputs of the epilogue: staging_bytes(kN) for each consumer
//   g.filters_at     operand A: g.filter_bytes for each stage or, if g.keeps_filters, for each
//                    chunk
//   g.stages_at      operand B: g.stage_bytes for each stage, [unit][position][8 channels]
#include "device/cuda/kernels/float.cuh"
#include "engines/kernels/dense/geometry.hpp"
#include "engines/kernels/ptx_sm90.cuh"

namespace atc::dense {

namespace {

using cuda::from_float;
using cuda::to_float;

template <typename T>
constexpr ptx::OperandType operand_type_of = ptx::OperandType::f16;
template <>
constexpr ptx::OperandType operand_type_of<__nv_bfloat16> = ptx::OperandType::bf16;

// wgmma reads an operand as core matrices of 8 rows x 16 bytes. kEightRowsBytes is the distance in
// bytes from a core matrix to the core matrix that has the next 8 rows.
constexpr int kEightRowsBytes = 8 * kUnitBytes;

// The consumer warpgroups of a block: kWarpgroupsM x kWarpgroupsN. kWarpgroupsM of them have the
// same positions (operand B) but different filters. kWarpgroupsN of them have the same filters
// (operand A) but different positions.
template <int kN, int kWarpgroupsM_, int kWarpgroupsN_>
struct Tile {
  static constexpr int kWarpgroupsM = kWarpgroupsM_, kWarpgroupsN = kWarpgroupsN_;
  static constexpr int kConsumers = kWarpgroupsM * kWarpgroupsN;
  static constexpr int kThreads = (kConsumers + 1) * kWarpgroup;
  static constexpr int kTileM = kWarpgroupsM * kRows;
  // The number of registers of a producer thread and of a consumer thread, which setmaxnreg sets.
  // All threads of kBlocks blocks together may have at most 65,536 registers, which is what a
  // multiprocessor has.
  static constexpr int kProducerRegisters = kConsumers == 1 ? 112 : 120;
  static constexpr int kConsumerRegisters = kConsumers == 1 ? 144 : 192;
  // The number of blocks that run on a multiprocessor at the same time.
  static constexpr int kBlocks = kConsumers == 1 ? 2 : 1;
};

// ---- Coordinates of positions ----

// The place of a tile's first position on the raster (all images, row after row). Offsets in memory
// are counted from the first element of the image that contains this position, so that the offsets
// of a tile fit into 32 bits.
struct Start {
  long long image;  // the number of the image in the batch
  // `strip` is the strip of columns of the image, and `in_image` is the number of the position,
  // counted from the first position of the strip.
  int strip, in_image;
};

__device__ __forceinline__ int divide(int value, const Divisor& by) {
  return static_cast<int>(
      static_cast<unsigned long long>(static_cast<unsigned>(value)) * by.factor >> by.shift);
}

__device__ __forceinline__ Start start_of(const Geometry& g, int position) {
  const int strips = divide(position, g.per_image);
  Start start;
  start.image = divide(strips, g.per_strip);
  start.strip = strips - static_cast<int>(start.image) * g.strips;
  start.in_image = position - strips * (g.image_rows * g.row_positions);
  return start;
}

struct Place {
  // `image` is counted from the image that contains the first position of the tile.
  int image, strip, row, column;
};

// Both functions return the place of a position of the raster: its image, strip of columns, row and
// column. The first function gets the row and the column on the raster; `row` is counted from the
// first row of the strip in which the tile starts. The second function gets the number of the
// position, counted from the tile's first position. No argument may be negative.
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
  const int row = divide(start.in_image + position, g.per_row_positions);
  return place_of(g, start, row, start.in_image + position - row * g.row_positions);
}

// ---- Producer: loads ----

// A slot is what a producer thread loads at once: for each of 8 channels, a pixel or, if g.paired,
// a pair of pixels. `offset` is the distance in bytes from the first element of the tile's first
// image; kOutOfBounds means that zeros are stored. The two lowest bits of `place` say which pixels
// are stored: bit i is set if the tile reads the position of pixel i. The other bits of `place` are
// the offset in bytes of pixel 0's position from the beginning of the 8 channels in shared memory.
struct Slot {
  int place;
  unsigned offset;
};
constexpr unsigned kOutOfBounds = ~0u;

__device__ __forceinline__ Slot slot_of(const Geometry& g, const Start& start, int index) {
  Place place;
  int position = index, pair_column = 0;
  if (g.paired) {
    // A load reads a pair of elements that begins at an even column of the image. `left` is the
    // column of the image that is column 0 of the raster. If `left` is odd, the pairs of a row
    // begin at odd columns of the raster:
    //  left even:  |0 1|2 3|4 5|
    //  left odd: |-1 0|1 2|3 4|
    // Each slot of a tile is one pair. Let c be the column of the tile's first position. Slot 0 is
    // the pair number c / 2. It contains the first position or, if `left` and c are both odd, it is
    // the pair before it. No pair before slot 0 contains a position of the tile.
    const int start_row = divide(start.in_image, g.per_row_positions);
    const int pair = index + (start.in_image - start_row * g.row_positions) / 2;
    const int line = divide(pair, g.per_line), row = start_row + line;
    place = place_of(g, start, row, 0);
    const int left = place.strip * g.strip_width - g.pad_w;
    place.column = (left & ~1) + (pair - line * (g.row_positions / 2 + 1)) * 2 - left;
    pair_column = place.column + 1;
    position = row * g.row_positions - start.in_image + place.column;
  } else {
    place = place_of(g, start, position);
  }
  const int h = place.row - g.pad_h, w = place.strip * g.strip_width + place.column - g.pad_w;
  const bool valid = start.image + place.image < g.images &&
                     static_cast<unsigned>(h) < static_cast<unsigned>(g.in_height) &&
                     static_cast<unsigned>(w) < static_cast<unsigned>(g.in_width);
  const auto has = [&](int column, int at) {
    return column >= 0 && column < g.row_positions && at >= 0 && at < g.halo_positions;
  };
  const int which = has(place.column, position) | (g.paired && has(pair_column, position + 1)) << 1;
  Slot slot;
  slot.place = position * kUnitBytes + which;
  const int offset = place.image * static_cast<int>(g.in_image) + h * g.in_width + w;
  slot.offset = valid && which != 0 ? static_cast<unsigned>(offset) * 2 : kOutOfBounds;
  return slot;
}

__device__ __forceinline__ int out_offset(const Geometry& g, const Start& start, int position) {
  const Place place = place_of(g, start, position);
  const int q = place.strip * g.strip_width + place.column;
  const bool valid = start.image + place.image < g.images && place.row < g.out_height &&
                     place.column < g.strip_width && q < g.out_width;
  return valid ? place.image * static_cast<int>(g.out_image) + place.row * g.out_width + q : -1;
}

// The values of 16 channels, for a pixel or for a pair of pixels. The values stay in registers from
// the load from device memory to the store into shared memory.
template <typename Word>
class Units {
 public:
  // Loads 16 neighbouring channels. `from` points to the first of them, and each next channel is
  // `plane` bytes later. If the tensor has only `channels` of them, the other channels become
  // zeros.
  __device__ __forceinline__ void load(const Slot& slot, const unsigned char* from, long long plane,
                                       int channels) {
    place_ = slot.place;
    from += slot.offset;
    const bool valid = slot.offset != kOutOfBounds;
    if (channels >= 2 * kUnit) {
#pragma unroll
      for (int k = 0; k < 2 * kUnit; ++k, from = ptx::advance(from, plane)) load(k, valid, from);
    } else {
#pragma unroll
      for (int k = 0; k < 2 * kUnit; ++k, from = ptx::advance(from, plane))
        load(k, valid && k < channels, from);
    }
  }
  // Stores the 16 channels into shared memory, as two units of 8 channels. `to` is the address that
  // the first unit has for the tile's first position. The second unit is `pitch` bytes after the
  // first one.
  __device__ __forceinline__ void store(unsigned char* to, int pitch) const {
    to += place_ & ~3;
#pragma unroll
    for (int unit = 0; unit < 2; ++unit, to += pitch) {
      if constexpr (sizeof(Word) == 2) {
        if ((place_ & 3) != 0) *reinterpret_cast<uint4*>(to) = pixel(unit, 0x5410);
      } else {
        // Half of the threads store the second pixel of a pair before the first one, so that eight
        // neighbouring threads store to different banks at the same time.
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
  __device__ __forceinline__ void load(int channel, bool valid, const unsigned char* from) {
    words_[channel] = valid ? __ldg(reinterpret_cast<const Word*>(from)) : 0u;
  }
  __device__ __forceinline__ uint4 pixel(int unit, unsigned halves) const {
    const unsigned* const of = words_ + unit * kUnit;
    return make_uint4(__byte_perm(of[0], of[1], halves), __byte_perm(of[2], of[3], halves),
                      __byte_perm(of[4], of[5], halves), __byte_perm(of[6], of[7], halves));
  }

  unsigned words_[2 * kUnit];
  int place_;
};

// ---- Epilogue ----

// Adds the bias to the accumulators of a warpgroup, applies ReLU, rounds the sums and stores them.
// The outputs pass through shared memory, eight rows of each warp at a time. So the lanes of a warp
// store neighbouring pixels of a channel. `table` has, for each column of the warpgroup, the offset
// in `out`, or -1 if the column is not stored. A Word is one pixel, or a pair of pixels that begins
// at an even column.
template <typename T, int kN, typename Word>
__device__ __forceinline__ void store_accumulators(const Geometry& g, const float (&accum)[kN / 2],
                                                   const T* bias, T* out, int first_row,
                                                   const int* table, unsigned char* staging) {
  constexpr int kPitch = kN + kBankPadding, kPixels = sizeof(Word) / sizeof(T);
  // The number of words (one or two outputs) of a row that a thread stores.
  constexpr int kWords = kN / 32 / kPixels;
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
    // Calls move(a, b) for each word of the tile that this thread stores: `a` is the place of the
    // word in device memory, and `b` is its place in shared memory.
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
    for (int j = 0; j < kN / 8; ++j) {
      T* const pair = tile + row * kPitch + j * 8 + lane % 4 * 2;
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        float value = accum[j * 4 + half * 2 + i] + add;
        if (g.accumulate) value += to_float(pair[i]);
        if (g.relu && value < 0.0f) value = 0.0f;
        from_float(value, pair[i]);
      }
    }
    __syncwarp();
    for_words([](Word& memory, const Word& in_tile) { memory = in_tile; });
  }
}

// ---- Tile scheduler ----

// A tile of the output.
struct OutputTile {
  Start start;  // the first position of the tile on the raster
  int row;      // the first output channel of the tile

  __device__ OutputTile(const Geometry& g, int tile)
      : OutputTile(g, divide(tile, g.per_row_tile), tile) {}

 private:
  __device__ OutputTile(const Geometry& g, int column_tile, int tile)
      : start(start_of(g, column_tile * g.tile_columns)),
        row((tile - column_tile * g.row_tiles) * g.tile_rows) {}
};

// A task of a block: a whole tile, or one of the parts into which split-K cuts the sum over
// channels of a tile.
struct WorkUnit {
  int tile;
  int part;  // the number of this part of a split tile; -1 for a whole tile
  // The first chunk of input channels, and the chunk after the last one.
  int chunk, end;

  __device__ WorkUnit(const Geometry& g, int index)
      : tile(index), part(-1), chunk(0), end(g.chunks) {
    if (index < g.whole_tiles) return;
    part = index - g.whole_tiles;
    const int cut = part / g.splits;
    tile = g.whole_tiles + cut;
    chunk = (part - cut * g.splits) * g.split_chunks;
    end = min(chunk + g.split_chunks, g.chunks);
  }
};

template <typename T, int kN>
__device__ __forceinline__ void epilogue(const Geometry& g, const float (&accum)[kN / 2],
                                         const T* bias, T* out, const OutputTile& tile, int down,
                                         const int* table, unsigned char* staging) {
  T* const image_out = out + tile.start.image * g.out_image;
  const int row = tile.row + down * kRows;
  if (g.out_paired)
    store_accumulators<T, kN, unsigned>(g, accum, bias, image_out, row, table, staging);
  else
    store_accumulators<T, kN, unsigned short>(g, accum, bias, image_out, row, table, staging);
}

// Fills the table of a warpgroup. For each column of outputs that the warpgroup computes, the table
// has the column's offset in `out`. All threads of the warpgroup must call this function. It first
// waits until all of them have read the old table.
template <int kN>
__device__ __forceinline__ void fill_table(const Geometry& g, const Start& start, int first_column,
                                           int* table, int barrier) {
  ptx::barrier_sync(barrier, kWarpgroup);
  for (int i = static_cast<int>(threadIdx.x) % kWarpgroup; i < kN; i += kWarpgroup)
    table[i] = out_offset(g, start, first_column + i);
  ptx::barrier_sync(barrier, kWarpgroup);
}

// If the sum of a tile is split into parts, the partials of a part are stored as words of four
// accumulators: those that a thread has for eight columns. Returns the address of this thread's
// first word of the part `part`. The next words of the thread are kWarpgroup words apart.
template <typename Words>
__device__ __forceinline__ Words* partials_of(const Geometry& g, Words* partials, int part,
                                              int consumer) {
  const long long group_words = kRows / 4 * g.group_columns;
  const int groups = g.tile_rows * g.tile_columns / (kRows * g.group_columns);
  return partials + (static_cast<long long>(part) * groups + consumer) * group_words +
         threadIdx.x % kWarpgroup;
}

// ---- Pipeline between producer and consumers ----

// The numbers of the named barriers: one for the producer warpgroup, and one for each consumer
// warpgroup. kConsumerBarrier is the number for the first consumer; the next consumers have the
// next numbers.
constexpr int kProducerBarrier = 1, kConsumerBarrier = 2;

// The stage that a warpgroup fills or reads next, and the parity of the mbarrier phase that must be
// complete before that.
struct PipelineState {
  int stage = 0;
  unsigned parity;
  __device__ __forceinline__ void next(const Geometry& g) {
    if (++stage == g.stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

// Returns the offset in bytes, in shared memory, of the filters of a chunk of channels.
__device__ __forceinline__ int filters_of(const Geometry& g, int chunk, int stage) {
  return g.filters_at + (g.keeps_filters ? chunk : stage) * g.filter_bytes;
}

// The steps in which a producer thread loads the input of a tile. In each step the thread loads 16
// channels (two units) of one slot. A slot is a pixel or a pair of pixels. For each chunk of
// channels, a thread first loads its slots of the first two units, then its slots of the next two
// units, and so on. All threads have the same number of steps, because they arrive at the same
// barriers.
struct Step {
  // `chunk` is the chunk of channels of this step, and `count` is the number of the step within the
  // chunk. The step loads two units of 8 channels, of which `unit` is the first. `slot` is the
  // pixel or the pair of pixels that it loads. In the last steps of a chunk, `unit` may be after
  // the chunk's last unit. Then the thread loads nothing.
  int chunk, count, unit, slot;

  __device__ __forceinline__ Step(const Geometry& g, int first) : chunk(first) { begin(g); }
  // Goes to the next step of the loads. Returns true if the next step belongs to another chunk of
  // channels.
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

// Producer: loads the input channels of each task (a tile, or a part of the sum of a tile) into
// stages, chunk by chunk. The values go through registers: the loads of kInFlight steps are issued
// before the values of the first of these steps are stored into shared memory. The filters of a
// chunk are copied by one bulk copy.
template <typename Word>
__device__ __forceinline__ void produce(const Geometry& g, const unsigned char* in,
                                        const unsigned char* filters, unsigned char* shared) {
  // The number of steps whose loads may be issued before the values of the first step are stored.
  constexpr int kInFlight = 3;
  const unsigned full_barriers = ptx::shared_address(shared),
                 empty_barriers = full_barriers + 8 * kMostStages;
  Slot* const slots = reinterpret_cast<Slot*>(shared + g.slots_at);
  const int thread = static_cast<int>(threadIdx.x);
  const long long plane = static_cast<long long>(g.in_plane) * 2;
  PipelineState pipe{0, 1};
  // Bit i is set if the filters of chunk i are in shared memory and need no further copy.
  unsigned kept = 0;
  for (int index = static_cast<int>(blockIdx.x); index < g.tasks;
       index += static_cast<int>(gridDim.x)) {
    const WorkUnit work(g, index);
    const OutputTile tile(g, work.tile);
    ptx::barrier_sync(kProducerBarrier, kWarpgroup);
    for (int i = thread; i < g.slots; i += kWarpgroup) slots[i] = slot_of(g, tile.start, i);
    ptx::barrier_sync(kProducerBarrier, kWarpgroup);
    const unsigned char* const image = in + tile.start.image * g.in_image * 2;
    const unsigned char* const tile_filters =
        filters + static_cast<long long>(tile.row / g.tile_rows) * g.chunks * g.filter_bytes;

    // The loaded values of each step in flight: 16 channels of a pixel or of a pair of pixels.
    Units<Word> units[kInFlight];
    Step ahead(g, work.chunk), now(g, work.chunk);
    const auto load = [&](Units<Word>& to) {
      const int channel = (ahead.chunk * g.chunk_units + ahead.unit) * kUnit;
      const Slot slot = ahead.unit < g.chunk_units ? slots[ahead.slot] : Slot{0, kOutOfBounds};
      to.load(slot, image + channel * plane, plane, g.in_channels - channel);
      ahead.next(g);
    };
    const auto store = [&](const Units<Word>& from) {
      if (now.count == 0) {
        ptx::mbarrier_try_wait(empty_barriers + pipe.stage * 8, pipe.parity);
        if (thread == 0 && !(g.keeps_filters && (kept >> now.chunk & 1) != 0))
          ptx::cp_async_bulk(ptx::shared_address(shared + filters_of(g, now.chunk, pipe.stage)),
                             tile_filters + static_cast<long long>(now.chunk) * g.filter_bytes,
                             g.filter_bytes, full_barriers + pipe.stage * 8);
        if (g.keeps_filters) kept |= 1u << now.chunk;
      }
      const int pitch = g.halo_positions * kUnitBytes;
      from.store(shared + g.stages_at + pipe.stage * g.stage_bytes + now.unit * pitch, pitch);
      if (now.next(g)) {
        ptx::fence_proxy_async();
        ptx::mbarrier_arrive(full_barriers + pipe.stage * 8);
        pipe.next(g);
      }
    };
    for (bool begun = false; now.chunk < work.end; begun = true) {
#pragma unroll
      for (Units<Word>& of : units) {
        if (begun && now.chunk < work.end) store(of);
        if (ahead.chunk < work.end) load(of);
      }
    }
  }
}

// Issues the wgmma instructions of one chunk of channels, for all taps. `a` and `b` are the
// shared-memory descriptors of the operands for the first tap.
template <typename T, int kN, int kTileM>
__device__ __forceinline__ void multiply_chunk(const Geometry& g, std::uint64_t a, std::uint64_t b,
                                               float (&accum)[kN / 2]) {
  ptx::wgmma_fence();
  if (g.taps_h == 3 && g.taps_w == 3 && g.chunk_units == 2) {
#pragma unroll
    for (int tap = 0; tap < 9; ++tap)
      ptx::wgmma_mma_async_ss<operand_type_of<T>, kN>(
          accum, a + tap * 2 * kTileM,
          b + (tap / 3 * g.tap_row_positions + tap % 3 * g.tap_column_positions));
  } else {
#pragma unroll 1
    for (int r = 0; r < g.taps_h; ++r)
#pragma unroll 1
      for (int s = 0; s < g.taps_w; ++s)
#pragma unroll 1
        for (int unit = 0; unit < g.chunk_units; unit += 2) {
          ptx::wgmma_mma_async_ss<operand_type_of<T>, kN>(
              accum, a,
              b + (r * g.tap_row_positions + s * g.tap_column_positions + unit * g.halo_positions));
          a += 2 * kTileM;
        }
  }
  ptx::wgmma_commit_group();
}

// Consumer: multiplies the stages of each task. If the task is a whole tile, the epilogue then
// stores its outputs. If the task is a part of the sum of a tile (split-K), its accumulators are
// written to the workspace as partials.
template <typename T, int kN, typename Tile>
__device__ __forceinline__ void consume(const Geometry& g, const T* bias, T* out, float4* partials,
                                        unsigned char* shared) {
  const unsigned full_barriers = ptx::shared_address(shared),
                 empty_barriers = full_barriers + 8 * kMostStages;
  const int thread = static_cast<int>(threadIdx.x) % kWarpgroup;
  const int consumer = static_cast<int>(threadIdx.x) / kWarpgroup - 1;
  const int down = consumer % Tile::kWarpgroupsM, across = consumer / Tile::kWarpgroupsM;
  int* const table = reinterpret_cast<int*>(shared + g.out_tables_at) + consumer * kN;
  unsigned char* const staging = shared + g.staging_at + consumer * staging_bytes(kN);
  const int filter_pitch_bytes = Tile::kTileM * kUnitBytes;
  const int position_pitch_bytes = g.halo_positions * kUnitBytes;
  // The sums of a warpgroup: 64 output channels x kN positions.
  float accum[kN / 2];
  PipelineState pipe{0, 0};
  for (int index = static_cast<int>(blockIdx.x); index < g.tasks;
       index += static_cast<int>(gridDim.x)) {
    const WorkUnit work(g, index);
    const OutputTile tile(g, work.tile);
    if (work.part < 0)
      fill_table<kN>(g, tile.start, across * kN, table, kConsumerBarrier + consumer);
#pragma unroll
    for (float& sum : accum) sum = 0.0f;
    int before = 0;
    for (int chunk = work.chunk; chunk < work.end; ++chunk) {
      ptx::mbarrier_try_wait(full_barriers + pipe.stage * 8, pipe.parity);
      const unsigned filters = ptx::shared_address(shared + filters_of(g, chunk, pipe.stage));
      const unsigned positions =
          ptx::shared_address(shared + g.stages_at + pipe.stage * g.stage_bytes);
      const std::uint64_t a = ptx::make_smem_descriptor(filters + down * kRows * kUnitBytes,
                                                        kEightRowsBytes, filter_pitch_bytes);
      const std::uint64_t b = ptx::make_smem_descriptor(positions + across * kN * kUnitBytes,
                                                        kEightRowsBytes, position_pitch_bytes);
      multiply_chunk<T, kN, Tile::kTileM>(g, a, b, accum);
      // Waits until the wgmma instructions of the previous chunk of channels are complete; those of
      // this chunk may still run. Then the producer may fill the stage of the previous chunk again.
      ptx::wgmma_wait_group<1>();
      if (chunk > work.chunk && thread % 32 == 0) ptx::mbarrier_arrive(empty_barriers + before * 8);
      before = pipe.stage;
      pipe.next(g);
    }
    ptx::wgmma_wait_group<0>();
    if (thread % 32 == 0) ptx::mbarrier_arrive(empty_barriers + before * 8);
    if (work.part < 0) {
      epilogue<T, kN>(g, accum, bias, out, tile, down, table, staging);
    } else {
      float4* const words = partials_of(g, partials, work.part, consumer);
#pragma unroll
      for (int i = 0; i < kN / 8; ++i)
        words[i * kWarpgroup] =
            make_float4(accum[4 * i], accum[4 * i + 1], accum[4 * i + 2], accum[4 * i + 3]);
    }
  }
}

// ---- The kernels ----

template <typename T, int kN, int kWarpgroupsM, int kWarpgroupsN>
__device__ __forceinline__ void convolve(const Geometry& g, const T* in,
                                         const unsigned char* filters, const T* bias, T* out,
                                         float4* partials) {
  using Tile = Tile<kN, kWarpgroupsM, kWarpgroupsN>;
  unsigned char* const shared = ptx::dynamic_shared();
  if (threadIdx.x == 0) {
    const unsigned full_barriers = ptx::shared_address(shared),
                   empty_barriers = full_barriers + 8 * kMostStages;
    for (int stage = 0; stage < g.stages; ++stage) {
      ptx::mbarrier_init(full_barriers + stage * 8, kWarpgroup);
      ptx::mbarrier_init(empty_barriers + stage * 8, Tile::kConsumers * kWarpgroup / 32);
    }
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x < kWarpgroup) {
    ptx::setmaxnreg_dec<Tile::kProducerRegisters>();
    const unsigned char* const bytes = reinterpret_cast<const unsigned char*>(in);
    if (g.paired)
      produce<unsigned>(g, bytes, filters, shared);
    else
      produce<unsigned short>(g, bytes, filters, shared);
  } else {
    ptx::setmaxnreg_inc<Tile::kConsumerRegisters>();
    consume<T, kN, Tile>(g, bias, out, partials, shared);
  }
}

// Adds the partials of split tiles (split-K), always in the same order, and stores the sums. A
// block has one warpgroup and computes one slice of a tile: kSliceColumns columns, for the 64 rows
// that one warpgroup of convolve() has computed. Shared memory contains the outputs of the
// epilogue, followed by the table of the columns' offsets in `out`.
template <typename T>
__device__ __forceinline__ void reduce_split_k(const Geometry& g, const float4* partials,
                                               const T* bias, T* out) {
  constexpr int kWords = kSliceColumns / 8;
  unsigned char* const staging = ptx::dynamic_shared();
  int* const table = reinterpret_cast<int*>(staging + staging_bytes(kSliceColumns));
  const int group_slices = g.group_columns / kSliceColumns, downs = g.tile_rows / kRows;
  const int tile_slices = downs * g.tile_columns / kSliceColumns;
  const int cut = static_cast<int>(blockIdx.x) / tile_slices;
  const int slice = static_cast<int>(blockIdx.x) - cut * tile_slices;
  const int consumer = slice / group_slices, slice_of_group = slice - consumer * group_slices;
  const int down = consumer % downs, across = consumer / downs;
  const OutputTile tile(g, g.whole_tiles + cut);
  fill_table<kSliceColumns>(g, tile.start,
                            across * g.group_columns + slice_of_group * kSliceColumns, table,
                            kProducerBarrier);
  // The sums of a warpgroup: 64 output channels x kSliceColumns positions.
  float accum[kSliceColumns / 2] = {};
#pragma unroll 4
  for (int split = 0; split < g.splits; ++split) {
    const float4* const words = partials_of(g, partials, cut * g.splits + split, consumer) +
                                slice_of_group * kWords * kWarpgroup;
#pragma unroll
    for (int i = 0; i < kWords; ++i) {
      const float4 four = words[i * kWarpgroup];
      accum[4 * i] += four.x;
      accum[4 * i + 1] += four.y;
      accum[4 * i + 2] += four.z;
      accum[4 * i + 3] += four.w;
    }
  }
  epilogue<T, kSliceColumns>(g, accum, bias, out, tile, down, table, staging);
}

}  // namespace

// The kernels for tiles are atc_dense_<type>_<M>x<N>(geometry, in, filters, bias, out, partials).
// If tiles are split, atc_dense_<type>_sum(geometry, partials, bias, out) then adds their partials
// and stores the sums.
#define ATC_DENSE_KERNEL(name, T, columns, down, across)                                  \
  extern "C" __global__ void __launch_bounds__((Tile<columns, down, across>::kThreads),   \
                                               (Tile<columns, down, across>::kBlocks))    \
      name(const __grid_constant__ Geometry g, const T* in, const unsigned char* filters, \
           const T* bias, T* out, float4* partials) {                                     \
    convolve<T, columns, down, across>(g, in, filters, bias, out, partials);              \
  }
#define ATC_DENSE_SUM(name, T)                                                                  \
  extern "C" __global__ void __launch_bounds__(kWarpgroup)                                      \
      name(const __grid_constant__ Geometry g, const float4* partials, const T* bias, T* out) { \
    reduce_split_k<T>(g, partials, bias, out);                                                  \
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
