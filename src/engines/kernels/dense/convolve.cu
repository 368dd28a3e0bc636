// Forward and backward-data: sums of a tile of filter rows x raster positions by products of whole
// warpgroups. The first warpgroup brings filters and positions, eight channels of a position side by
// side, into stages of shared memory; the others multiply. A stage's positions serve all taps: a tap
// is an offset of where the matrix begins.
#include "device/cuda/kernels/float.cuh"
#include "engines/kernels/dense/warpgroup.cuh"
#include "engines/kernels/ptx.cuh"

namespace atc::dense {

namespace {

using cuda::from_float;
using cuda::to_float;

// Warpgroups that multiply: kDown of them share positions, kAcross share filters.
template <int kColumns, int kDown, int kAcross>
struct Tile {
  static constexpr int kMultipliers = kDown * kAcross;
  static constexpr int kThreads = (kMultipliers + 1) * kWarpgroup;
  static constexpr int kTileRows = kDown * kRows, kTileColumns = kAcross * kColumns;
  // Registers of a thread: of those that load, and of those that multiply. All together are no more
  // than the blocks of a multiprocessor may have.
  static constexpr int kOfLoaders = kMultipliers == 1 ? 112 : 120;
  static constexpr int kOfMultipliers = kMultipliers == 1 ? 144 : 192;
  static constexpr int kBlocks = kMultipliers == 1 ? 2 : 1;  // of a multiprocessor
};

// Where in memory a block's positions begin: of the raster's images one, and what follows is
// counted from that image's first element.
struct Start {
  long long position;
  long long image;      // of the problem
  int strip, in_image;  // the position in that strip
};

__device__ Start start_of(const Geometry& g, long long position) {
  const long long of_image = static_cast<long long>(g.image_rows) * g.pitch;
  const long long strips = position / of_image;
  Start start;
  start.position = position;
  start.image = strips / g.strips;
  start.strip = static_cast<int>(strips - start.image * g.strips);
  start.in_image = static_cast<int>(position - strips * of_image);
  return start;
}

struct Place {
  int image, strip, row, column;  // image from the start's on
};

__device__ Place place_of(const Geometry& g, const Start& start, int position) {
  const int row = (start.in_image + position) / g.pitch;
  const int strip = row / g.image_rows + start.strip;
  Place place;
  place.column = start.in_image + position - row * g.pitch;
  place.row = row % g.image_rows;
  place.image = strip / g.strips;
  place.strip = strip - place.image * g.strips;
  return place;
}

// What a thread loads for a unit of channels: the pixel at `offset` elements from the start's image,
// or the two from there on; nothing if that is negative, since padding stays zero. Of `place`, bits
// 0 and 1 say which of the pixels the block has a position for, the rest is the byte of the first
// one's position in a unit.
struct Slot {
  int place, offset;
};

__device__ Slot slot_of(const Geometry& g, const Start& start, int index) {
  Place place;
  int position = index, pair_column = 0;
  if (g.paired) {
    const int line_pairs = g.pitch / 2 + 1;
    const int line = index / line_pairs;
    const int first = start.in_image - start.in_image % g.pitch - start.in_image;
    place = place_of(g, start, first + line * g.pitch);
    const int left = place.strip * g.strip_width - g.pad_w;
    place.column = (left & ~1) + (index - line * line_pairs) * 2 - left;
    pair_column = place.column + 1;
    position = first + line * g.pitch + place.column;
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
  slot.offset = real && which != 0
                    ? place.image * static_cast<int>(g.in_image) + h * g.in_width + w
                    : -1;
  return slot;
}

__device__ int out_offset(const Geometry& g, const Start& start, int position) {
  const Place place = place_of(g, start, position);
  const int q = place.strip * g.strip_width + place.column;
  const bool real = start.image + place.image < g.images && place.row < g.out_height &&
                    place.column < g.strip_width && q < g.out_width;
  return real ? place.image * static_cast<int>(g.out_image) + place.row * g.out_width + q : -1;
}

// A unit of eight channels as it is loaded, of one pixel or of a pair of them.
template <typename Word>
struct Unit {
  unsigned words[kUnit];

  // Channels from `from` on, of which `left` are in the tensor; zeros otherwise.
  __device__ __forceinline__ void load(const unsigned short* from, int plane, int left) {
#pragma unroll
    for (int k = 0; k < kUnit; ++k)
      words[k] = k < left ? __ldg(reinterpret_cast<const Word*>(
                                from + static_cast<long long>(k) * plane))
                          : 0u;
  }
  __device__ __forceinline__ uint4 pixel(int which) const {
    const unsigned halves = which == 0 ? 0x5410 : 0x7632;
    return make_uint4(__byte_perm(words[0], words[1], halves),
                      __byte_perm(words[2], words[3], halves),
                      __byte_perm(words[4], words[5], halves),
                      __byte_perm(words[6], words[7], halves));
  }
  __device__ __forceinline__ void store(int which, unsigned char* to) const {
    if constexpr (sizeof(Word) == 2) {
      if (which != 0) *reinterpret_cast<uint4*>(to) = pixel(0);
    } else {
      // Eight threads together store to different banks.
      const int first = static_cast<int>(threadIdx.x) / 4 % 2;
#pragma unroll
      for (int i = 0; i < 2; ++i)
        if (which >> (first ^ i) & 1)
          *reinterpret_cast<uint4*>(to + (first ^ i) * kUnitBytes) = pixel(first ^ i);
    }
  }
};

// The positions of a chunk, to `to` in shared memory.
template <typename Word>
__device__ __forceinline__ void load_positions(const Geometry& g, const unsigned short* in,
                                               const Slot* slots, int chunk, unsigned char* to) {
  const int pitch = g.halo_positions * kUnitBytes;  // of a unit
  const int first = chunk * g.chunk_units * kUnit;
  const unsigned short* const chunk_in = in + static_cast<long long>(first) * g.in_plane;
  for (int index = static_cast<int>(threadIdx.x); index < g.slots; index += 2 * kWarpgroup) {
    Slot slot[2];
    slot[0] = slots[index];
    slot[1] = index + kWarpgroup < g.slots ? slots[index + kWarpgroup] : Slot{0, -1};
    for (int unit = 0; unit < g.chunk_units; unit += 2) {
      Unit<Word> units[2][2];
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int u = 0; u < 2; ++u)
          if (slot[i].offset >= 0)
            units[i][u].load(
                chunk_in + static_cast<long long>((unit + u) * kUnit) * g.in_plane + slot[i].offset,
                g.in_plane, g.in_channels - first - (unit + u) * kUnit);
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int u = 0; u < 2; ++u)
          if (slot[i].offset >= 0)
            units[i][u].store(slot[i].place & 3, to + (unit + u) * pitch + (slot[i].place & ~3));
    }
  }
}

// Rounds sums of a warpgroup and stores them: through shared memory, so that a warp stores
// neighbouring pixels of a channel. `table` has the offsets of the warpgroup's columns.
template <typename T, int kColumns>
__device__ __forceinline__ void store(const Geometry& g, const float (&sums)[kColumns / 2],
                                      const T* bias, T* out, int first_row, const int* table,
                                      unsigned char* staging) {
  constexpr int kPitch = kColumns + 8;  // elements: rows of eight threads are in different banks
  constexpr int kRowsOfWarp = 16;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) % kWarpgroup / 32;
  T* const tile = reinterpret_cast<T*>(staging) + warp * kRowsOfWarp * kPitch;
  const int warp_row = first_row + warp * kRowsOfWarp;
  const int rows = min(kRowsOfWarp, g.out_channels - warp_row);
  T* const warp_out = out + static_cast<long long>(warp_row) * g.out_plane;
  int offsets[kColumns / 32];
#pragma unroll
  for (int i = 0; i < kColumns / 32; ++i) offsets[i] = table[i * 32 + lane];
  if (g.accumulate) {
    for (int row = 0; row < rows; ++row)
#pragma unroll
      for (int i = 0; i < kColumns / 32; ++i)
        if (offsets[i] >= 0)
          tile[row * kPitch + i * 32 + lane] =
              warp_out[static_cast<long long>(row) * g.out_plane + offsets[i]];
    __syncwarp();
  }
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = half * 8 + lane / 4;
    const float add = g.has_bias && row < rows ? to_float(bias[warp_row + row]) : 0.0f;
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
  }
  __syncwarp();
  for (int row = 0; row < rows; ++row)
#pragma unroll
    for (int i = 0; i < kColumns / 32; ++i)
      if (offsets[i] >= 0)
        warp_out[static_cast<long long>(row) * g.out_plane + offsets[i]] =
            tile[row * kPitch + i * 32 + lane];
}

template <typename T, int kColumns, int kDown, int kAcross>
__device__ __forceinline__ void convolve(const Geometry& g, const T* in,
                                         const unsigned char* filters, const T* bias, T* out) {
  using Tile = Tile<kColumns, kDown, kAcross>;
  unsigned char* const shared = ptx::dynamic_shared();
  const unsigned filled = ptx::shared_address(shared), emptied = filled + 8 * kMostStages;
  Slot* const slots = reinterpret_cast<Slot*>(shared + g.slots_at);
  int* const out_table = reinterpret_cast<int*>(shared + g.out_table_at);
  unsigned char* const stages = shared + g.stages_at;

  const int thread = static_cast<int>(threadIdx.x);
  const int column_tile = static_cast<int>(blockIdx.x) / g.row_tiles;
  const int row_tile = static_cast<int>(blockIdx.x) - column_tile * g.row_tiles;
  const Start start = start_of(g, static_cast<long long>(column_tile) * Tile::kTileColumns);
  for (int i = thread; i < g.slots; i += Tile::kThreads) slots[i] = slot_of(g, start, i);
  for (int i = thread; i < Tile::kTileColumns; i += Tile::kThreads)
    out_table[i] = out_offset(g, start, i);
  // Padding is zero in all chunks: nothing else is ever stored there.
  for (int stage = 0; stage < g.stages; ++stage) {
    uint4* const positions =
        reinterpret_cast<uint4*>(stages + stage * g.stage_bytes + g.filter_bytes);
    for (int i = thread; i < g.chunk_units * g.halo_positions; i += Tile::kThreads)
      positions[i] = make_uint4(0, 0, 0, 0);
  }
  fence_for_products();
  if (thread == 0) {
    for (int stage = 0; stage < g.stages; ++stage) {
      barrier_init(filled + stage * 8, kWarpgroup);
      barrier_init(emptied + stage * 8, Tile::kMultipliers * kWarpgroup / 32);
    }
    fence_barrier_init();
  }
  __syncthreads();

  if (thread < kWarpgroup) {
    give_registers<Tile::kOfLoaders>();
    const unsigned short* const image =
        reinterpret_cast<const unsigned short*>(in) + start.image * g.in_image;
    const unsigned char* chunk_filters =
        filters + static_cast<long long>(row_tile) * g.chunks * g.filter_bytes;
    int stage = 0;
    unsigned parity = 1;
    for (int chunk = 0; chunk < g.chunks; ++chunk) {
      barrier_wait(emptied + stage * 8, parity);
      unsigned char* const place = stages + stage * g.stage_bytes;
      if (thread == 0)
        copy_bulk(ptx::shared_address(place), chunk_filters, g.filter_bytes, filled + stage * 8);
      chunk_filters += g.filter_bytes;
      if (g.paired)
        load_positions<unsigned>(g, image, slots, chunk, place + g.filter_bytes);
      else
        load_positions<unsigned short>(g, image, slots, chunk, place + g.filter_bytes);
      fence_for_products();
      barrier_arrive(filled + stage * 8);
      if (++stage == g.stages) {
        stage = 0;
        parity ^= 1;
      }
    }
  } else {
    take_registers<Tile::kOfMultipliers>();
    const int multiplier = thread / kWarpgroup - 1;
    const int down = multiplier % kDown, across = multiplier / kDown;
    const int filter_pitch = Tile::kTileRows * kUnitBytes;
    const int position_pitch = g.halo_positions * kUnitBytes;
    float sums[kColumns / 2];
#pragma unroll
    for (float& sum : sums) sum = 0.0f;
    int stage = 0, before = 0;
    unsigned parity = 0;
    for (int chunk = 0; chunk < g.chunks; ++chunk) {
      barrier_wait(filled + stage * 8, parity);
      const unsigned place = ptx::shared_address(stages + stage * g.stage_bytes);
      std::uint64_t a = matrix_at(place + down * kRows * kUnitBytes, filter_pitch);
      const std::uint64_t b =
          matrix_at(place + g.filter_bytes + across * kColumns * kUnitBytes, position_pitch);
      products_begin();
      if (g.taps_h == 3 && g.taps_w == 3 && g.chunk_units == 2) {
#pragma unroll
        for (int tap = 0; tap < 9; ++tap)
          multiply_add<T, kColumns>(sums, a + tap * 2 * Tile::kTileRows,
                                    b + (tap / 3 * g.tap_row + tap % 3 * g.tap_column));
      } else {
#pragma unroll 1
        for (int r = 0; r < g.taps_h; ++r)
#pragma unroll 1
          for (int s = 0; s < g.taps_w; ++s)
#pragma unroll 1
            for (int unit = 0; unit < g.chunk_units; unit += 2) {
              multiply_add<T, kColumns>(
                  sums, a, b + (r * g.tap_row + s * g.tap_column + unit * g.halo_positions));
              a += 2 * Tile::kTileRows;
            }
      }
      products_commit();
      // Those of the stage before are done: it may be filled anew.
      products_wait<1>();
      if (chunk > 0 && thread % 32 == 0) barrier_arrive(emptied + before * 8);
      before = stage;
      if (++stage == g.stages) {
        stage = 0;
        parity ^= 1;
      }
    }
    products_wait<0>();
    // The stages are free: nothing fills them any more, and nobody multiplies.
    sync_some(1, Tile::kMultipliers * kWarpgroup);
    store<T, kColumns>(g, sums, bias, out + start.image * g.out_image,
                       row_tile * Tile::kTileRows + down * kRows, out_table + across * kColumns,
                       stages + multiplier * kRows * (kColumns + 8) * static_cast<int>(sizeof(T)));
  }
}

}  // namespace

// NAME(geometry, in, filters, bias, out), with the filters as the kernels of filters.cu pack them.
#define ATC_DENSE_KERNEL(name, T, columns, down, across)                                         \
  extern "C" __global__ void __launch_bounds__((Tile<columns, down, across>::kThreads),          \
                                               (Tile<columns, down, across>::kBlocks))           \
      name(const __grid_constant__ Geometry g, const T* in, const unsigned char* filters,        \
           const T* bias, T* out) {                                                              \
    convolve<T, columns, down, across>(g, in, filters, bias, out);                               \
  }

ATC_DENSE_KERNEL(atc_dense_f16_64x128, __half, 128, 1, 1)
ATC_DENSE_KERNEL(atc_dense_f16_64x192, __half, 192, 1, 1)
ATC_DENSE_KERNEL(atc_dense_f16_128x256, __half, 256, 2, 1)
ATC_DENSE_KERNEL(atc_dense_f16_64x512, __half, 256, 1, 2)
ATC_DENSE_KERNEL(atc_dense_bf16_64x128, __nv_bfloat16, 128, 1, 1)
ATC_DENSE_KERNEL(atc_dense_bf16_64x192, __nv_bfloat16, 192, 1, 1)
ATC_DENSE_KERNEL(atc_dense_bf16_128x256, __nv_bfloat16, 256, 2, 1)
ATC_DENSE_KERNEL(atc_dense_bf16_64x512, __nv_bfloat16, 256, 1, 2)

}  // namespace atc::dense
