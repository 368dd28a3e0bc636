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
  static constexpr int kOfLoaders = 88;
  static constexpr int kOfMultipliers = kMultipliers == 1 ? 168 : 208;
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

// Elements from the start's image to the first channel of a position; -1 for padding.
__device__ int in_offset(const Geometry& g, const Start& start, int position) {
  const Place place = place_of(g, start, position);
  const int h = place.row - g.pad_h, w = place.strip * g.strip_width + place.column - g.pad_w;
  const bool real = start.image + place.image < g.images &&
                    static_cast<unsigned>(h) < static_cast<unsigned>(g.in_height) &&
                    static_cast<unsigned>(w) < static_cast<unsigned>(g.in_width);
  return real ? place.image * static_cast<int>(g.in_image) + h * g.in_width + w : -1;
}

__device__ int out_offset(const Geometry& g, const Start& start, int position) {
  const Place place = place_of(g, start, position);
  const int q = place.strip * g.strip_width + place.column;
  const bool real = start.image + place.image < g.images && place.row < g.out_height &&
                    place.column < g.strip_width && q < g.out_width;
  return real ? place.image * static_cast<int>(g.out_image) + place.row * g.out_width + q : -1;
}

__device__ __forceinline__ uint4 pack(const unsigned (&values)[kUnit]) {
  return make_uint4(values[0] | values[1] << 16, values[2] | values[3] << 16,
                    values[4] | values[5] << 16, values[6] | values[7] << 16);
}

// A unit of channels from `from` on, of which `left` are in the tensor, of two positions.
__device__ __forceinline__ void load_units(const Geometry& g, const unsigned short* from, int left,
                                           const int (&offsets)[2], unsigned (&values)[2][kUnit]) {
#pragma unroll
  for (int k = 0; k < kUnit; ++k) {
    const unsigned short* const plane = from + static_cast<long long>(k) * g.in_plane;
#pragma unroll
    for (int i = 0; i < 2; ++i)
      values[i][k] = offsets[i] >= 0 && k < left ? __ldg(plane + offsets[i]) : 0u;
  }
}

// The positions of a chunk, to `to` in shared memory.
__device__ __forceinline__ void load_positions(const Geometry& g, const unsigned short* in,
                                               const int* table, int chunk, unsigned char* to) {
  const int thread = static_cast<int>(threadIdx.x);
  const int pitch = g.halo_positions * kUnitBytes;  // of a unit
  const int first = chunk * g.chunk_units * kUnit;
  const unsigned short* const chunk_in = in + static_cast<long long>(first) * g.in_plane;
  for (int position = thread; position < g.halo_positions; position += 2 * kWarpgroup) {
    const bool both = position + kWarpgroup < g.halo_positions;
    const int offsets[2] = {table[position], both ? table[position + kWarpgroup] : -1};
    for (int unit = 0; unit < g.chunk_units; unit += 2) {
      unsigned values[2][2][kUnit];
#pragma unroll
      for (int u = 0; u < 2; ++u)
        load_units(g, chunk_in + static_cast<long long>((unit + u) * kUnit) * g.in_plane,
                   g.in_channels - first - (unit + u) * kUnit, offsets, values[u]);
#pragma unroll
      for (int u = 0; u < 2; ++u) {
        unsigned char* const place = to + (unit + u) * pitch + position * kUnitBytes;
        *reinterpret_cast<uint4*>(place) = pack(values[u][0]);
        if (both) *reinterpret_cast<uint4*>(place + kWarpgroup * kUnitBytes) = pack(values[u][1]);
      }
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
  int* const in_table = reinterpret_cast<int*>(shared + g.in_table_at);
  int* const out_table = reinterpret_cast<int*>(shared + g.out_table_at);
  unsigned char* const stages = shared + g.stages_at;

  const int thread = static_cast<int>(threadIdx.x);
  const int column_tile = static_cast<int>(blockIdx.x) / g.row_tiles;
  const int row_tile = static_cast<int>(blockIdx.x) - column_tile * g.row_tiles;
  const Start start = start_of(g, static_cast<long long>(column_tile) * Tile::kTileColumns);
  for (int i = thread; i < g.halo_positions; i += Tile::kThreads)
    in_table[i] = in_offset(g, start, i);
  for (int i = thread; i < Tile::kTileColumns; i += Tile::kThreads)
    out_table[i] = out_offset(g, start, i);
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
      load_positions(g, image, in_table, chunk, place + g.filter_bytes);
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
