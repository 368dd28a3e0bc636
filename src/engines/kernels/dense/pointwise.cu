// This kernel computes forward and backward-data of pointwise convolutions of one group in TF32,
// channels first. It needs compute capability 9.0a.
//
// The kernel computes:
//   out[k, pixel] = sum over c of filters[k, c] * in[c, pixel]
//
// In the matrix product, M is pixels, N is output channels, and K is input channels. In memory, the
// pixels of operand A are contiguous along M. But for TF32, wgmma reads an operand from shared
// memory only if it is contiguous along K. So operand A goes through registers. Operand B (filters)
// is packed by atc_pointwise_pack. A block is persistent: it computes one tile after the other. One
// thread of its last warpgroup is the producer, which starts the copies into the stages.
//
// Contract
//   map       tensor map of `in`: boxes of kUnitPixels pixels x kChunk channels x 1 image, with a
//             swizzle of 64 bytes, of the data type that rounds fp32 to TF32
//   filters   as atc_pointwise_pack writes them; aligned to 16 bytes
//   bias      of the type of out; not read unless g.has_bias is set
//   out       dense tensor. If g.accumulate is set, the sum is added to it
//
// Shared memory, by offset in bytes
//  0              the mbarriers: for each stage 8 bytes for its full barrier and 8 bytes for its
//                 empty barrier
//  kBarrierBytes  g.stages stages of stage_bytes: operand A in units of 16 pixels,
//                 [unit][channel][pixel], then rows of operand B
#include "engines/kernels/dense/pointwise_geometry.hpp"
#include "engines/kernels/ptx_sm90.cuh"

namespace atc::dense::pointwise {

namespace {

using ptx::OperandType;

constexpr int kStepChannels = 8, kSteps = kChunk / kStepChannels;

// The order of the channels in K. A wgmma multiplies eight channels, which are two groups of four
// words of each operand. Word t of the first group is channel first_channel(t), and word t of the
// second group is channel first_channel(t) + 2. So the order is 0 1 4 5, 2 3 6 7. With this order
// the lanes of a warp read operand A from different banks.
__device__ __forceinline__ int first_channel(int t) { return t + (t & 2); }

// The number of blocks that run on a multiprocessor at the same time.
template <int kM64, int kN>
constexpr int kBlocks = (kM64 * kN <= 64) ? 2 : 1;

struct PipelineState {
  int stage = 0;
  unsigned parity = 0;
  __device__ __forceinline__ void next(int stages) {
    if (++stage < stages) return;
    stage = 0;
    parity ^= 1;
  }
};

__device__ __forceinline__ unsigned full_barrier(unsigned shared, int stage) {
  return shared + static_cast<unsigned>(stage) * 16;
}
__device__ __forceinline__ unsigned empty_barrier(unsigned shared, int stage) {
  return shared + static_cast<unsigned>(stage) * 16 + 8;
}

template <int kM64, int kN>
__device__ __forceinline__ void produce(const Geometry& g, const cuda::TensorMap& map,
                                        const float* filters, unsigned shared) {
  constexpr int kUnits = tile_units(kM64), kStageBytes = stage_bytes(kM64, kN);
  const int tiles = g.unit_tiles * g.channel_tiles;
  PipelineState state;
  for (int tile = static_cast<int>(blockIdx.x); tile < tiles; tile += static_cast<int>(gridDim.x)) {
    const int unit_tile = tile / g.channel_tiles, channel_tile = tile - unit_tile * g.channel_tiles;
    const int first_image = unit_tile * kUnits / g.image_units;
    const int first_unit = unit_tile * kUnits - first_image * g.image_units;
    const float* from = filters + static_cast<long long>(channel_tile) * g.chunks * (kN * kChunk);
    for (int chunk = 0; chunk < g.chunks; ++chunk) {
      ptx::mbarrier_try_wait(empty_barrier(shared, state.stage), state.parity ^ 1);
      const unsigned full = full_barrier(shared, state.stage);
      unsigned to = shared + kBarrierBytes + static_cast<unsigned>(state.stage * kStageBytes);
      ptx::cp_async_bulk(to + kUnits * kUnitBytes, from, kN * kRowBytes, full);
      from += kN * kChunk;
      ptx::mbarrier_arrive_expect_tx(full, kUnits * kUnitBytes);
      int image = first_image, unit = first_unit;
      for (int i = 0; i < kUnits; ++i) {
        ptx::cp_async_bulk_tensor_3d(to, &map, unit * kUnitPixels, chunk * kChunk, image, full);
        to += kUnitBytes;
        if (++unit == g.image_units) {
          unit = 0;
          ++image;
        }
      }
      state.next(g.stages);
    }
  }
}

// Loads the registers of operand A that this lane needs for all wgmma steps of a stage. `own` is
// the offset in the stage, in bytes, of the lane's first word.
template <int kM64>
__device__ __forceinline__ void load_pixels(const unsigned char* stage, int own,
                                            unsigned (&a)[kSteps][kM64][4]) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    // The data of a stage (input channels x pixels) is swizzled, so the offsets of other words are
    // computed by xor: the word of the pixel eight pixels later differs in bit 5, and the word of
    // the channel two channels later differs in bits 4 and 7.
    const unsigned char* const from = stage + (own ^ (i % 2 * 32) ^ (i / 2 * (16 | 128)));
#pragma unroll
    for (int step = 0; step < kSteps; ++step)
#pragma unroll
      for (int m = 0; m < kM64; ++m)
        a[step][m][i] = *reinterpret_cast<const unsigned*>(
            from + m * (4 * kUnitBytes) + step * (kStepChannels * kUnitPixels * 4));
  }
}

// Stores an output. First adds the old output if g.accumulate is set, and applies ReLU if g.relu is
// set.
__device__ __forceinline__ void store(const Geometry& g, float* to, float value) {
  if (g.accumulate != 0) value += *to;
  // fmaxf is not used for ReLU, because it would turn a NaN into 0.
  if (g.relu != 0) value = value < 0 ? 0 : value;
  *to = value;
}

template <int kM64, int kN>
__device__ __forceinline__ void consume(const Geometry& g, const float* bias, float* out,
                                        unsigned shared, const unsigned char* bytes) {
  constexpr int kUnits = tile_units(kM64), kStageBytes = stage_bytes(kM64, kN);
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, t = lane % 4;
  // The pixels of the tile are divided into units of 16 pixels. Each warpgroup computes a
  // contiguous part of these units. Each of its four warps computes every fourth of them.
  const int own_unit = thread / 128 * (kUnits / kConsumers) + thread % 128 / 32;
  const int row = lane / 4, channel = first_channel(t);
  const int own = own_unit * kUnitBytes + channel * (kUnitPixels * 4) +
                  ((row / 4) ^ (channel / 2 & 3)) * 16 + row % 4 * 4;
  const int tiles = g.unit_tiles * g.channel_tiles;
  PipelineState state;
  for (int tile = static_cast<int>(blockIdx.x); tile < tiles; tile += static_cast<int>(gridDim.x)) {
    const int unit_tile = tile / g.channel_tiles, channel_tile = tile - unit_tile * g.channel_tiles;
    float accum[kM64][kN / 2];
#pragma unroll
    for (int m = 0; m < kM64; ++m)
#pragma unroll
      for (int i = 0; i < kN / 2; ++i) accum[m][i] = 0;
    // Operand A of the chunks of channels with even and with odd numbers.
    unsigned even[kSteps][kM64][4], odd[kSteps][kM64][4];
    const auto load = [&](unsigned(&a)[kSteps][kM64][4]) {
      ptx::mbarrier_try_wait(full_barrier(shared, state.stage), state.parity);
      load_pixels(bytes + kBarrierBytes + state.stage * kStageBytes, own, a);
    };
    // Multiplies the chunk of channels in the current stage. While the products run, operand A of
    // the tile's next chunk is loaded into registers.
    const auto multiply = [&](const unsigned(&a)[kSteps][kM64][4], unsigned(&next)[kSteps][kM64][4],
                              bool last) {
      const std::uint64_t b = ptx::make_swizzled_descriptor(
          shared +
          static_cast<unsigned>(kBarrierBytes + state.stage * kStageBytes + kUnits * kUnitBytes));
      ptx::wgmma_fence();
#pragma unroll
      for (int step = 0; step < kSteps; ++step)
#pragma unroll
        for (int m = 0; m < kM64; ++m)
          ptx::wgmma_mma_async_rs<OperandType::tf32, kN>(accum[m], a[step][m],
                                                         b + static_cast<unsigned>(step) * 2);
      ptx::wgmma_commit_group();
      const int stage = state.stage;
      state.next(g.stages);
      if (!last) load(next);
      ptx::wgmma_wait_group<0>();
      if (lane == 0) ptx::mbarrier_arrive(empty_barrier(shared, stage));
    };
    load(even);
    for (int chunk = 0; chunk < g.chunks; chunk += 2) {
      multiply(even, odd, chunk + 1 == g.chunks);
      if (chunk + 1 == g.chunks) break;
      multiply(odd, even, chunk + 2 == g.chunks);
    }
#pragma unroll
    for (int m = 0; m < kM64; ++m) {
      const int unit = unit_tile * kUnits + own_unit + m * 4;
      if (unit >= g.units) continue;
      const int image = unit / g.image_units;
      const int pixel = (unit - image * g.image_units) * kUnitPixels + row;
      const int first = channel_tile * kN + t * 2;
      float* const to = out + static_cast<long long>(image) * g.out_channels * g.pixels +
                        static_cast<long long>(first) * g.pixels + pixel;
#pragma unroll
      for (int j = 0; j < kN / 8; ++j)
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          const int k = j * 8 + i;
          if (first + k >= g.out_channels) continue;
          float* const at = to + static_cast<long long>(k) * g.pixels;
          const float added = g.has_bias != 0 ? bias[first + k] : 0;
          if (pixel < g.pixels) store(g, at, accum[m][4 * j + i] + added);
          if (pixel + 8 < g.pixels) store(g, at + 8, accum[m][4 * j + 2 + i] + added);
        }
    }
  }
}

template <int kM64, int kN>
__device__ __forceinline__ void convolve(const Geometry& g, const cuda::TensorMap& map,
                                         const float* filters, const float* bias, float* out) {
  unsigned char* const bytes = ptx::dynamic_shared();
  const unsigned shared = ptx::shared_address(bytes);
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) {
    for (int i = 0; i < g.stages; ++i) {
      ptx::mbarrier_init(full_barrier(shared, i), 1);
      ptx::mbarrier_init(empty_barrier(shared, i), kConsumers * 4);
    }
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  if (thread >= kConsumers * 128) {
    ptx::setmaxnreg_dec<(kBlocks<kM64, kN> == 1 ? 40 : 24)>();
    if (thread == kConsumers * 128) produce<kM64, kN>(g, map, filters, shared);
  } else {
    ptx::setmaxnreg_inc<(kBlocks<kM64, kN> == 1 ? 232 : 104)>();
    consume<kM64, kN>(g, bias, out, shared, bytes);
  }
}

}  // namespace

// The kernels' names are atc_pointwise_tf32_<pixels>x<output channels>.
#define ATC_POINTWISE(m64, pixels, n)                                                          \
  extern "C" __global__ void __launch_bounds__(kThreads, (kBlocks<m64, n>))                    \
      atc_pointwise_tf32_##pixels##x##n(const __grid_constant__ Geometry g,                    \
                                        const __grid_constant__ cuda::TensorMap map,           \
                                        const float* filters, const float* bias, float* out) { \
    convolve<m64, n>(g, map, filters, bias, out);                                              \
  }
ATC_POINTWISE(1, 128, 64)
ATC_POINTWISE(1, 128, 128)
ATC_POINTWISE(2, 256, 64)
ATC_POINTWISE(2, 256, 128)
ATC_POINTWISE(1, 128, 256)

#undef ATC_POINTWISE

// Packs the filters in the order in which the stages are filled, and rounds them to TF32. Each
// thread writes one element.
extern "C" __global__ void __launch_bounds__(kPackThreads)
    atc_pointwise_pack(const __grid_constant__ Filters f, const float* w, float* packed) {
  const int chunk_elements = f.tile * kChunk;
  const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (at >= f.tiles * f.chunks * chunk_elements) return;
  const int stage = at / chunk_elements, in_stage = at - stage * chunk_elements;
  const int tile = stage / f.chunks, chunk = stage - tile * f.chunks;
  const int row = in_stage / kChunk, word = in_stage % kChunk;
  // The place that the element would have in a row without the swizzle.
  const int place = (word / 4 ^ row % 8) * 4 + word % 4;
  const int second = place / 4 % 2;
  const int channel = chunk * kChunk + place / 8 * 8 + first_channel(place % 4) + 2 * second;
  const int out_channel = tile * f.tile + row;
  float value = 0;
  if (channel < f.channels && out_channel < f.out_channels)
    value = w[channel * f.channel_stride + out_channel * f.out_channel_stride];
  packed[at] = __uint_as_float(ptx::cvt_rna_tf32(value));
}

}  // namespace atc::dense::pointwise
