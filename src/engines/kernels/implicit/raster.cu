// This kernel computes forward and backward-data for groups of many channels, by wgmma. It needs
// compute capability 9.0a.
//
// The kernel computes:
//   out[position, k] = sum over taps and c of in[position + offset of the tap, c] * filters[tap,
//   c][k]
//
// Each group has its own matrix product: M is positions of a tile's raster (raster.hpp), N is
// output channels, and K is taps x input channels. The input of a block's tiles is in shared
// memory. Two warpgroups (the consumers) load this input, multiply and store. One more warp is the
// producer of filters: it copies them into stages, in the order in which they are multiplied.
//
// Contract
//   in, out   dense tensors, aligned to an element. If g.in.vectors (g.out.vectors) is set, in
//             (out) is aligned to 16 bytes
//   packed    the filters, as `pack_raster` of filters.cu writes them; aligned to 16 bytes
//   bias      of the type of out; not read unless g.has_bias is set
//   refused   groups that docs/engines.md does not list for wgmma (raster_plan.cpp)
//   assumed   Pixels of padding are zeros. So an Inf or NaN in the filters also reaches outputs
//             whose tap lies in padding
//
// Shared memory, by offset in bytes
//   0             the mbarriers: 8 bytes for the full barrier of each stage, then 8 bytes for the
//                 empty barrier of each stage
//   kBarrierBytes the table of the taps: 4 bytes for each tap, its offset in positions
//   s.filters_at  operand B: s.stages stages of s.stage_bytes, [chunk][output channel][16 bytes]
//   s.tiles_at    operand A: the input of s.block_tiles tiles, [chunk][position][16 bytes]
//   s.filters_at  in the epilogue: the outputs of the tiles, which overwrite filters and input
#include "engines/kernels/implicit/raster.cuh"
#include "engines/kernels/implicit/store.cuh"
#include "engines/kernels/implicit/wgmma.cuh"

namespace atc::implicit {

namespace {

constexpr int kConsumerBarrier = 1;

// The stage of filters that is used next, and the parity of the mbarrier phase that must be
// complete before that.
struct PipelineState {
  int stage;
  unsigned parity;
  __device__ void next(const RasterGeometry& s) {
    if (++stage < s.stages) return;
    stage = 0;
    parity ^= 1;
  }
};

// Producer: one thread copies all filters that a block needs into the stages, one stage after the
// other. Before it fills a stage again, it waits for the stage's empty barrier. `bytes` is the
// number of bytes of the filters.
__device__ void load_filters(const RasterGeometry& s, const unsigned char* filters, int bytes,
                             unsigned shared) {
  PipelineState pipe{0, 1};
  for (int at = 0; at < bytes; at += s.stage_bytes) {
    ptx::mbarrier_try_wait(shared + static_cast<unsigned>((kMostStages + pipe.stage) * 8),
                           pipe.parity);
    const unsigned full_barrier = shared + static_cast<unsigned>(pipe.stage * 8);
    ptx::cp_async_bulk(shared + static_cast<unsigned>(s.filters_at + pipe.stage * s.stage_bytes),
                       filters + at, min(s.stage_bytes, bytes - at), full_barrier);
    ptx::mbarrier_arrive(full_barrier);
    pipe.next(s);
  }
}

template <typename Value>
struct alignas(2 * sizeof(Value)) Pair {
  Value values[2];
};

// kM64Tiles is the number of m64 tiles of positions that a warpgroup computes. kN is the number of
// output channels of a group, rounded up.
template <Math kMath, int kM64Tiles, int kN>
__device__ __forceinline__ void convolve(const RasterGeometry& s, const void* in,
                                         const void* packed, const void* bias, void* out) {
  using Value = Element<kMath>;
  constexpr int kSize = sizeof(Value);
  const Geometry& g = s.g;
  unsigned char* const shared = ptx::dynamic_shared();
  const unsigned base = ptx::shared_address(shared);
  int* const table = reinterpret_cast<int*>(shared + kBarrierBytes);
  const int thread = static_cast<int>(threadIdx.x);

  unsigned rest = blockIdx.x;
  const auto take = [&](int extent) {
    const unsigned whole = rest / static_cast<unsigned>(extent);
    const auto index = static_cast<int>(rest - whole * static_cast<unsigned>(extent));
    rest = whole;
    return index;
  };
  const int group = take(g.groups);
  const int phase_w = take(g.phases_w), phase_h = take(g.phases_h);
  const int first_item = static_cast<int>(rest) * s.block_tiles;
  const Axis &rows = g.rows[phase_h], &columns = g.columns[phase_w];
  const int taps = rows.taps * columns.taps;

  if (thread == 0) {
    for (int stage = 0; stage < s.stages; ++stage) {
      ptx::mbarrier_init(base + static_cast<unsigned>(stage * 8), 1);
      ptx::mbarrier_init(base + static_cast<unsigned>((kMostStages + stage) * 8), kWarps);
    }
    ptx::fence_mbarrier_init();
  }
  for (int tap = thread; tap < taps; tap += kRasterThreads) {
    const int r = tap / columns.taps;
    table[tap] = tap_positions(s, r * rows.spacing, (tap - r * columns.taps) * columns.spacing);
  }
  __syncthreads();

  if (thread >= kThreads) {
    const int bytes = taps * g.tap_chunks * kN * kChunk;
    if (thread == kThreads)
      load_filters(s,
                   static_cast<const unsigned char*>(packed) +
                       g.phase_filter_bytes[phase_h * kMostPhases + phase_w] +
                       static_cast<long long>(group) * bytes,
                   bytes, base);
    return;
  }

  // The consumers load the input of all tiles of the block.
  const Value* const first =
      static_cast<const Value*>(in) + static_cast<long long>(group * g.group_in) * g.in.channel;
  const auto for_tiles = [&](const auto& body) {
    for (int i = 0; i < s.block_tiles; ++i) {
      const Tile tile = tile_at(s, rows, columns, first_item + i);
      if (tile.height > 0) body(tile, i);
    }
  };
  if (taps != 0) {
    const auto tile_in_shared = [&](int i) {
      return shared + s.tiles_at + i * s.tile_positions * kChunk;
    };
    for_tiles([&](const Tile& tile, int i) {
      load<kMath>(g.in, input_of(s, rows, columns, tile), first + tile.image * g.in.image,
                  tile_in_shared(i));
    });
    ptx::cp_async_commit_group();
    ptx::cp_async_wait_group<0>();
    for_tiles([&](const Tile& tile, int i) {
      finish_load<kMath>(g.in, input_of(s, rows, columns, tile), tile_in_shared(i));
    });
    ptx::fence_proxy_async();
  }
  ptx::barrier_sync(kConsumerBarrier, kThreads);

  // Consumers: the products.
  const int warpgroup = thread / kWarpgroup, lane = thread % 32;
  // The m64 tiles (64 positions each) of all tiles of the block are divided among the warpgroups.
  // For the warpgroup's m64 tile number `part`: sets `tile` to the tile in which it lies, and
  // returns its first position in this tile. If the block has no such tile, the m64 tile reads
  // arbitrary positions, and its accumulators are not stored.
  const auto part_of = [&](int part, int& tile) {
    const int index = warpgroup * kM64Tiles + part;
    tile = index / s.tile_parts;
    return (index - tile * s.tile_parts) * kRows;
  };
  // Operand A: the shared-memory descriptors of the warpgroup's m64 tiles.
  std::uint64_t a[kM64Tiles];
#pragma unroll
  for (int part = 0; part < kM64Tiles; ++part) {
    int tile = 0;
    const int position = part_of(part, tile);
    const int at = tile < s.block_tiles ? tile * s.tile_positions + position : 0;
    a[part] =
        ptx::make_smem_descriptor(base + static_cast<unsigned>(s.tiles_at + at * kChunk),
                                  8 * kChunk, static_cast<unsigned>(s.chunk_positions * kChunk));
  }

  // The sums of a warpgroup: kM64Tiles * 64 positions x kN channels.
  float accum[kM64Tiles][kN / 2] = {};
  PipelineState pipe{0, 0};
  int before = -1;
  int tap = 0, chunk = 0;
  for (int left = taps * g.tap_chunks; left > 0; left -= s.stage_chunks) {
    ptx::mbarrier_try_wait(base + static_cast<unsigned>(pipe.stage * 8), pipe.parity);
    std::uint64_t b = ptx::make_smem_descriptor(
        base + static_cast<unsigned>(s.filters_at + pipe.stage * s.stage_bytes), 8 * kChunk,
        kN * kChunk);
    for (int in_stage = min(s.stage_chunks, left); in_stage > 0;) {
      const int count = min(in_stage, g.tap_chunks - chunk);
      int offset = table[tap] + chunk * s.chunk_positions;
#pragma unroll 1
      for (int i = 0; i < count; i += 2) {
        // The wgmma instructions of the previous step may still run while those of this step are
        // issued.
        ptx::wgmma_fence();
#pragma unroll
        for (int part = 0; part < kM64Tiles; ++part)
          wgmma_mma_async_ss<kOperandType<kMath>, kN>(accum[part],
                                                      a[part] + static_cast<unsigned>(offset), b);
        ptx::wgmma_commit_group();
        ptx::wgmma_wait_group<1>();
        offset += 2 * s.chunk_positions;
        b += 2 * kN;
      }
      in_stage -= count;
      chunk += count;
      if (chunk == g.tap_chunks) {
        chunk = 0;
        ++tap;
      }
    }
    // All wgmma instructions that read the previous stage of filters are complete here, so the
    // producer may fill that stage again.
    if (before >= 0 && lane == 0)
      ptx::mbarrier_arrive(base + static_cast<unsigned>((kMostStages + before) * 8));
    before = pipe.stage;
    pipe.next(s);
  }
  ptx::wgmma_wait_group<0>();
  ptx::barrier_sync(kConsumerBarrier, kThreads);

  // Epilogue: adds the bias to the accumulators, applies ReLU, rounds, and writes the outputs into
  // shared memory. Then stores them to device memory.
  const int row = thread % kWarpgroup / 32 * 16 + lane / 4, column = lane % 4 * 2;
  const auto pitch_of = [&](const Tile& tile) {
    return round_up((g.channels_first ? tile.height * tile.width : g.group_out) * kSize, kChunk) +
           kChunk;
  };
  const bool pairs = !g.channels_first && g.group_out % 2 == 0;
#pragma unroll
  for (int part = 0; part < kM64Tiles; ++part) {
    int in_block = 0;
    const int position = part_of(part, in_block);
    if (in_block >= s.block_tiles) continue;
    const Tile tile = tile_at(s, rows, columns, first_item + in_block);
    const int pitch = pitch_of(tile);
    unsigned char* const staged = shared + s.filters_at + in_block * s.staged_tile_at;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int at = position + row + half * 8, h = at / s.row_positions,
                w = at - h * s.row_positions;
      if (h >= tile.height || w >= tile.width) continue;
      const int pixel = h * tile.width + w;
#pragma unroll
      for (int j = 0; j < kN / 8; ++j) {
        const int channel = column + j * 8;
        Pair<Value> pair;
#pragma unroll
        for (int side = 0; side < 2; ++side) {
          float sum = accum[part][j * 4 + half * 2 + side];
          if (channel + side < g.group_out) {
            if (g.has_bias)
              sum +=
                  to_float(static_cast<const Value*>(bias)[group * g.group_out + channel + side]);
            // fmaxf is not used for ReLU, because it would turn a NaN into 0.
            if (g.relu && sum < 0) sum = 0;
          }
          from_float(sum, pair.values[side]);
        }
        if (pairs) {
          if (channel < g.group_out)
            *reinterpret_cast<Pair<Value>*>(staged + pixel * pitch + channel * kSize) = pair;
          continue;
        }
#pragma unroll
        for (int side = 0; side < 2; ++side)
          if (channel + side < g.group_out)
            *reinterpret_cast<Value*>(g.channels_first
                                          ? staged + (channel + side) * pitch + pixel * kSize
                                          : staged + pixel * pitch + (channel + side) * kSize) =
                pair.values[side];
      }
    }
  }
  ptx::barrier_sync(kConsumerBarrier, kThreads);
  const int channel = group * g.group_out;
  for_tiles([&](const Tile& tile, int i) {
    store(g, shared + s.filters_at + i * s.staged_tile_at, pitch_of(tile), tile.top, tile.left,
          tile.height, tile.width, channel, g.group_out,
          static_cast<Value*>(out) + tile.image * g.out.image +
              static_cast<long long>(channel) * g.out.channel +
              static_cast<long long>((phase_h + tile.top * g.out_step) * g.out.width + phase_w +
                                     tile.left * g.out_step) *
                  g.out.pixel);
  });
}

// Returns the number of blocks whose registers together must fit into a multiprocessor (for
// __launch_bounds__). `parts` is kM64Tiles, `columns` is kN. raster_plan.cpp has the same function.
constexpr int blocks_of(int parts, int columns) {
  return parts * columns <= 32 ? 3 : parts * columns <= 128 ? 2 : 1;
}

}  // namespace

// The kernels' names are atc_implicit_raster_<math>_<kM64Tiles>x<kN>.
#define ATC_IMPLICIT(math, parts, columns)                                                       \
  extern "C" __global__ void __launch_bounds__(kRasterThreads, blocks_of(parts, columns))        \
      atc_implicit_raster_##math##_##parts##x##columns(const __grid_constant__ RasterGeometry g, \
                                                       const void* in, const void* filters,      \
                                                       const void* bias, void* out) {            \
    convolve<Math::math, parts, columns>(g, in, filters, bias, out);                             \
  }
#define ATC_IMPLICIT_OF(math) \
  ATC_IMPLICIT(math, 1, 64)   \
  ATC_IMPLICIT(math, 2, 64)   \
  ATC_IMPLICIT(math, 1, 112)  \
  ATC_IMPLICIT(math, 2, 112)  \
  ATC_IMPLICIT(math, 1, 128)  \
  ATC_IMPLICIT(math, 2, 128)

ATC_IMPLICIT_OF(f16)
ATC_IMPLICIT_OF(bf16)
ATC_IMPLICIT_OF(tf32)
ATC_IMPLICIT(tf32, 1, 32)
ATC_IMPLICIT(tf32, 2, 32)

#undef ATC_IMPLICIT
#undef ATC_IMPLICIT_OF

}  // namespace atc::implicit
