// Forward and backward-data of groups of many channels, with the mma instructions of warpgroups. A
// block has the input of its tiles in shared memory. One warp copies filters into stages, in the
// order in which they are multiplied.
#include "engines/kernels/implicit/products.cuh"
#include "engines/kernels/implicit/raster.cuh"
#include "engines/kernels/implicit/store.cuh"

namespace atc::implicit {

namespace {

constexpr int kMultipliersBarrier = 1;

// A place in the ring of stages, and the parity of the phase for which to wait.
struct Turn {
  int stage;
  unsigned parity;
  __device__ void next(const RasterGeometry& s) {
    if (++stage < s.stages) return;
    stage = 0;
    parity ^= 1;
  }
};

// One thread brings all filters, stage after stage.
__device__ void load_filters(const RasterGeometry& s, const unsigned char* filters, int bytes,
                             unsigned shared) {
  Turn turn{0, 1};
  for (int at = 0; at < bytes; at += s.stage_bytes) {
    ptx::barrier_wait(shared + static_cast<unsigned>((kMostStages + turn.stage) * 8), turn.parity);
    const unsigned filled = shared + static_cast<unsigned>(turn.stage * 8);
    ptx::copy_bulk(shared + static_cast<unsigned>(s.filters_at + turn.stage * s.stage_bytes),
                   filters + at, min(s.stage_bytes, bytes - at), filled);
    ptx::barrier_arrive(filled);
    turn.next(s);
  }
}

template <typename Value>
struct alignas(2 * sizeof(Value)) Pair {
  Value values[2];
};

// kParts: positions of a warpgroup, in units of 64; kColumns: output channels of a group.
template <Math kMath, int kParts, int kColumns>
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
      ptx::barrier_init(base + static_cast<unsigned>(stage * 8), 1);
      ptx::barrier_init(base + static_cast<unsigned>((kMostStages + stage) * 8), kWarps);
    }
    ptx::fence_barrier_init();
  }
  for (int tap = thread; tap < taps; tap += kRasterThreads) {
    const int r = tap / columns.taps;
    table[tap] = tap_positions(s, r * rows.spacing, (tap - r * columns.taps) * columns.spacing);
  }
  __syncthreads();

  if (thread >= kThreads) {
    const int bytes = taps * g.tap_chunks * kColumns * kChunk;
    if (thread == kThreads)
      load_filters(s,
                   static_cast<const unsigned char*>(packed) +
                       g.phase_filters[phase_h * kMostPhases + phase_w] +
                       static_cast<long long>(group) * bytes,
                   bytes, base);
    return;
  }

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
    ptx::commit_async();
    ptx::wait_async<0>();
    for_tiles([&](const Tile& tile, int i) {
      finish_load<kMath>(g.in, input_of(s, rows, columns, tile), tile_in_shared(i));
    });
    ptx::fence_shared_for_products();
  }
  ptx::meet(kMultipliersBarrier, kThreads);

  const int warpgroup = thread / kWarpgroup, lane = thread % 32;
  // The tile of a part, and the part's first position there. A part beyond the last tile reads any
  // positions, and its accumulators are not stored.
  const auto part_of = [&](int part, int& tile) {
    const int index = warpgroup * kParts + part;
    tile = index / s.tile_parts;
    return (index - tile * s.tile_parts) * kRows;
  };
  std::uint64_t a[kParts];
#pragma unroll
  for (int part = 0; part < kParts; ++part) {
    int tile = 0;
    const int position = part_of(part, tile);
    const int at = tile < s.block_tiles ? tile * s.tile_positions + position : 0;
    a[part] = ptx::factor_in_shared(base + static_cast<unsigned>(s.tiles_at + at * kChunk),
                                    8 * kChunk, static_cast<unsigned>(s.chunk_positions * kChunk));
  }

  float sums[kParts][kColumns / 2] = {};
  Turn turn{0, 0};
  int before = -1;
  int tap = 0, chunk = 0;
  for (int left = taps * g.tap_chunks; left > 0; left -= s.stage_chunks) {
    ptx::barrier_wait(base + static_cast<unsigned>(turn.stage * 8), turn.parity);
    std::uint64_t b = ptx::factor_in_shared(
        base + static_cast<unsigned>(s.filters_at + turn.stage * s.stage_bytes), 8 * kChunk,
        kColumns * kChunk);
    for (int in_stage = min(s.stage_chunks, left); in_stage > 0;) {
      const int count = min(in_stage, g.tap_chunks - chunk);
      int offset = table[tap] + chunk * s.chunk_positions;
#pragma unroll 1
      for (int i = 0; i < count; i += 2) {
        // One product of a part is still running when the next one begins.
        ptx::begin_products();
#pragma unroll
        for (int part = 0; part < kParts; ++part)
          multiply_add<kFactors<kMath>, kColumns>(sums[part],
                                                  a[part] + static_cast<unsigned>(offset), b);
        ptx::end_products();
        ptx::wait_products<1>();
        offset += 2 * s.chunk_positions;
        b += 2 * kColumns;
      }
      in_stage -= count;
      chunk += count;
      if (chunk == g.tap_chunks) {
        chunk = 0;
        ++tap;
      }
    }
    // The products of the previous stage are done, so that stage may be filled again.
    if (before >= 0 && lane == 0)
      ptx::barrier_arrive(base + static_cast<unsigned>((kMostStages + before) * 8));
    before = turn.stage;
    turn.next(s);
  }
  ptx::wait_products<0>();
  ptx::meet(kMultipliersBarrier, kThreads);

  // Writes the sums, with bias and relu, as elements into shared memory.
  const int row = thread % kWarpgroup / 32 * 16 + lane / 4, column = lane % 4 * 2;
  const auto pitch_of = [&](const Tile& tile) {
    return round_up((g.channels_first ? tile.height * tile.width : g.group_out) * kSize, kChunk) +
           kChunk;
  };
  const bool pairs = !g.channels_first && g.group_out % 2 == 0;
#pragma unroll
  for (int part = 0; part < kParts; ++part) {
    int in_block = 0;
    const int position = part_of(part, in_block);
    if (in_block >= s.block_tiles) continue;
    const Tile tile = tile_at(s, rows, columns, first_item + in_block);
    const int pitch = pitch_of(tile);
    unsigned char* const staged = shared + s.filters_at + in_block * s.staged_tile;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int at = position + row + half * 8, h = at / s.pitch, w = at - h * s.pitch;
      if (h >= tile.height || w >= tile.width) continue;
      const int pixel = h * tile.width + w;
#pragma unroll
      for (int j = 0; j < kColumns / 8; ++j) {
        const int channel = column + j * 8;
        Pair<Value> pair;
#pragma unroll
        for (int side = 0; side < 2; ++side) {
          float sum = sums[part][j * 4 + half * 2 + side];
          if (channel + side < g.group_out) {
            if (g.has_bias)
              sum +=
                  to_float(static_cast<const Value*>(bias)[group * g.group_out + channel + side]);
            // Not fmaxf, which would make a zero of NaN.
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
  ptx::meet(kMultipliersBarrier, kThreads);
  const int channel = group * g.group_out;
  for_tiles([&](const Tile& tile, int i) {
    store(g, shared + s.filters_at + i * s.staged_tile, pitch_of(tile), tile.top, tile.left,
          tile.height, tile.width, channel, g.group_out,
          static_cast<Value*>(out) + tile.image * g.out.image +
              static_cast<long long>(channel) * g.out.channel +
              static_cast<long long>((phase_h + tile.top * g.out_step) * g.out.width + phase_w +
                                     tile.left * g.out_step) *
                  g.out.pixel);
  });
}

// How many blocks a multiprocessor shall have registers for.
constexpr int blocks_of(int parts, int columns) {
  return parts * columns <= 32 ? 3 : parts * columns <= 128 ? 2 : 1;
}

}  // namespace

// atc_implicit_raster_<math>_<kParts>x<kColumns>
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
