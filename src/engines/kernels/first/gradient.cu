// This kernel computes backward-weight for first layers (up to four input channels). It uses tensor
// cores (mma.sync) or, for fp32, FFMA.
//
// The kernel computes (tap: a tap of one input channel):
//   partials[split][k][tap] = sum over the split's pixels of dy[k, pixel] * x[window of the pixel +
//   tap]
//
// In the matrix product, M is output channels, N is the elements of a filter (taps x input
// channels), and K is pixels. The warps of a block divide the taps among themselves and, if there
// are few taps, also the pixels of a tile. Accumulators stay in registers while the block iterates
// over its tiles. A second kernel adds the partials of all splits (split-K), always in the same
// order.
//
// Contract
//   x, y      dense tensors, both channels first or both channels last; y is the gradient of the
//             outputs, aligned to g.vector elements
//   partials  fp32, [split][output channel][tap]
//   refused   as in convolve.cu: more than four input channels, groups, negative padding, windows
//             that are too large
//   assumed   Pixels of padding are zeros. So an Inf or NaN in dy also reaches elements of dw whose
//             tap lies in padding
//
// Shared memory: g.stages stages of stage_bytes. In a stage, by offset in bytes:
//   0           operand B: the tile's input, as tile.cuh loads it
//   outputs_at  operand A: the tile's dy, in rows of outputs_pitch_bytes for each channel (channels
//               first) or for each pixel (channels last)
//   windows_at  4 bytes for each pixel: the offset of its window; -1 for pixels outside of the tile
// In the epilogue, the sums of warps that multiplied different pixels of a tile are added by way of
// shared memory, where they overwrite the stages.
#include "engines/kernels/first/tile.cuh"

namespace atc::first {

namespace {

// ---- Loads ----

// For channels first: starts to copy dy of a tile into shared memory, as a row of pixels for each
// channel. Pixels outside of the tile and channels after the last one become zeros.
template <Math kMath, int kCopy>
__device__ void copy_planes(const GradientGeometry& gradient, const Tile& tile, int first_channel,
                            int channels, const Element<kMath>* from, unsigned char* to) {
  constexpr int kWidth = kCopy == 0 ? 1 : kCopy / kBytes<kMath>;
  const Geometry& g = gradient.g;
  const int end = min(round_up(tile.count, kGradientPixels), g.pixels);
  for (int i = static_cast<int>(threadIdx.x) % 32 * kWidth; i < end; i += 32 * kWidth) {
    const auto [row, column] = place_of(g, tile.offset + i);
    const bool inside = i < tile.count && column < tile.width;
    const int at = inside ? (tile.row + row) * g.width + tile.column + column : 0;
    for (int k = static_cast<int>(threadIdx.x) / 32; k < channels; k += kWarps) {
      const bool valid = inside && first_channel + k < g.channels;
      const auto* const source = from + (valid ? static_cast<long long>(k) * g.y_channel + at : 0);
      unsigned char* const place = to + k * gradient.outputs_pitch_bytes + i * kBytes<kMath>;
      if constexpr (kCopy == 16) {
        ptx::cp_async_cg_16(ptx::shared_address(place), source, valid);
      } else if constexpr (kCopy != 0) {
        ptx::cp_async<kCopy>(ptx::shared_address(place), source, valid);
      } else {
        Element<kMath> value;
        from_float(0.0f, value);
        if (valid) value = *source;
        *reinterpret_cast<Element<kMath>*>(place) = value;
      }
    }
  }
}

// For channels last: starts to copy dy of a tile into shared memory, as a row of channels for each
// pixel. Pixels outside of the tile and channels after the last one become zeros.
template <Math kMath, int kCopy>
__device__ void copy_pixels(const GradientGeometry& gradient, const Tile& tile, int first_channel,
                            int channels, const Element<kMath>* from, unsigned char* to) {
  constexpr int kWidth = kCopy == 0 ? 1 : kCopy / kBytes<kMath>;
  const Geometry& g = gradient.g;
  const int end = min(round_up(tile.count, kGradientPixels), g.pixels);
  const int units = channels / kWidth;  // `units` is a power of two.
  const int unit = static_cast<int>(threadIdx.x) % units * kWidth;
  for (int i = static_cast<int>(threadIdx.x) / units; i < end; i += kThreads / units) {
    const auto [row, column] = place_of(g, tile.offset + i);
    const bool valid = i < tile.count && column < tile.width && first_channel + unit < g.channels;
    const int at = (tile.row + row) * g.width + tile.column + column;
    const auto* const source = from + (valid ? static_cast<long long>(at) * g.y_pixel + unit : 0);
    unsigned char* const place = to + i * gradient.outputs_pitch_bytes + unit * kBytes<kMath>;
    if constexpr (kCopy == 16) {
      ptx::cp_async_cg_16(ptx::shared_address(place), source, valid);
    } else {
      Element<kMath> value;
      from_float(0.0f, value);
      if (valid) value = *source;
      *reinterpret_cast<Element<kMath>*>(place) = value;
    }
  }
}

// Starts to load tile number `number` into a stage: its input, its dy, and for each pixel the
// offset of the inputs that the pixel reads (-1 for pixels outside of the tile).
template <Math kMath, bool kChannelsLast>
__device__ void load_stage(const GradientGeometry& gradient, int number, int first_channel,
                           int channels, const void* x, const void* y, unsigned char* stage) {
  const Geometry& g = gradient.g;
  const Tile tile = tile_of(g, number);
  load_input<kMath>(g, tile, x, stage);
  const auto* const from = static_cast<const Element<kMath>*>(y) + tile.image * g.y_image +
                           static_cast<long long>(first_channel) * g.y_channel;
  unsigned char* const to = stage + gradient.outputs_at;
  const int copy = g.vector * kBytes<kMath>;
  if constexpr (kChannelsLast) {
    if (copy == 16)
      copy_pixels<kMath, 16>(gradient, tile, first_channel, channels, from, to);
    else
      copy_pixels<kMath, 0>(gradient, tile, first_channel, channels, from, to);
  } else {
    if (copy == 16)
      copy_planes<kMath, 16>(gradient, tile, first_channel, channels, from, to);
    else if (copy == 8)
      copy_planes<kMath, 8>(gradient, tile, first_channel, channels, from, to);
    else if (copy == 4)
      copy_planes<kMath, 4>(gradient, tile, first_channel, channels, from, to);
    else
      copy_planes<kMath, 0>(gradient, tile, first_channel, channels, from, to);
  }
  auto* const windows = reinterpret_cast<int*>(stage + gradient.windows_at);
  for (int i = static_cast<int>(threadIdx.x); i < g.pixels; i += kThreads) {
    const int column = place_of(g, tile.offset + i).column;
    windows[i] = i < tile.count && column < tile.width ? window_of(g, tile, i) : -1;
  }
}

// ---- The kernels ----

// kM16Tiles is the number of m16 tiles of a block's output channels. kN8Tiles is the number of n8
// tiles of filter elements that a warp computes.
template <Math kMath, bool kChannelsLast, int kM16Tiles, int kN8Tiles>
__device__ __forceinline__ void sum_products(const GradientGeometry& gradient, const void* x,
                                             const void* y, float* partials) {
  constexpr bool kTensorCores = kMath != Math::fp32;
  // The number of pixels that one step multiplies.
  constexpr int kStep = kTensorCores ? 32 / kBytes<kMath> : 1;
  const Geometry& g = gradient.g;
  unsigned char* const shared = ptx::dynamic_shared();
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int tap_group = warp % gradient.tap_groups, pixel_group = warp / gradient.tap_groups;
  const int pixel_groups = kWarps / gradient.tap_groups;
  int block = static_cast<int>(blockIdx.x);
  const int channel_block = block % g.channel_blocks;
  block /= g.channel_blocks;
  const int tap_block = block % gradient.tap_blocks, split = block / gradient.tap_blocks;
  const int first_channel = channel_block * kM16Tiles * 16;
  const int first_tap = (tap_block * gradient.tap_groups + tap_group) * kN8Tiles * 8;

  // For each tap for which this lane loads inputs: the offset in bytes from the beginning of the
  // inputs of a pixel. If there are fewer taps than offsets, the other offsets are 0, and their
  // sums are not stored.
  constexpr int kTaps = kTensorCores ? kN8Tiles : kN8Tiles * 2;
  int taps[kTaps];
#pragma unroll
  for (int i = 0; i < kTaps; ++i) {
    const int tap =
        first_tap + (kTensorCores ? i * 8 + lane / 4 : i / 2 * 8 + lane % 4 * 2 + i % 2);
    taps[i] = tap < gradient.taps ? tap_at(g, tap).offset_bytes : 0;
  }

  // The sums of a warp: kM16Tiles * 16 channels x kN8Tiles * 8 taps.
  float accum[kM16Tiles][kN8Tiles][4] = {};
  const long long all = static_cast<long long>(g.images) * g.tiles;
  const auto end = static_cast<int>(all * (split + 1) / gradient.splits);
  int number = static_cast<int>(all * split / gradient.splits);
  const auto load = [&](int tile, int stage) {
    load_stage<kMath, kChannelsLast>(gradient, tile, first_channel, kM16Tiles * 16, x, y,
                                     shared + stage * gradient.stage_bytes);
    ptx::cp_async_commit_group();
  };
  if (number < end) load(number, 0);
  for (int stage = 0; number < end; ++number) {
    if (g.stages == 2 && number + 1 < end) {
      load(number + 1, stage ^ 1);
      ptx::cp_async_wait_group<1>();
    } else {
      ptx::cp_async_wait_group<0>();
    }
    __syncthreads();
    make_operands<kMath>(shared + stage * gradient.stage_bytes, gradient.windows_at);
    const unsigned char* const halo = shared + stage * gradient.stage_bytes;
    const unsigned char* const outputs = halo + gradient.outputs_at;
    const auto* const windows = reinterpret_cast<const int*>(halo + gradient.windows_at);
    const int count = tile_of(g, number).count;
    if constexpr (kTensorCores) {
      for (int first = pixel_group * kStep; first < count; first += pixel_groups * kStep) {
        unsigned a[kM16Tiles][4];
#pragma unroll
        for (int i = 0; i < kM16Tiles; ++i) {
          if constexpr (!kChannelsLast) {
            ptx::ldmatrix_x4(a[i], ptx::shared_address(outputs) +
                                       static_cast<unsigned>(
                                           (i * 16 + lane % 16) * gradient.outputs_pitch_bytes +
                                           first * kBytes<kMath> + lane / 16 * 16));
          } else if constexpr (kBytes<kMath> == 2) {
            ptx::ldmatrix_x4_trans(a[i],
                                   ptx::shared_address(outputs) +
                                       static_cast<unsigned>((first + lane / 16 * 8 + lane % 8) *
                                                                 gradient.outputs_pitch_bytes +
                                                             (i * 16 + lane / 8 % 2 * 8) * 2));
          } else {
#pragma unroll
            for (int k = 0; k < 4; ++k)
              a[i][k] = *reinterpret_cast<const unsigned*>(
                  outputs + (first + k / 2 * 4 + lane % 4) * gradient.outputs_pitch_bytes +
                  (i * 16 + k % 2 * 8 + lane / 4) * 4);
          }
        }
        unsigned b[kN8Tiles][2];
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          if constexpr (kMath == Math::tf32) {
            const int at = windows[first + half * 4 + lane % 4];
            const unsigned mask = at < 0 ? 0 : ~0u;
            const unsigned char* const pixel = halo + max(at, 0);
#pragma unroll
            for (int i = 0; i < kN8Tiles; ++i)
              b[i][half] = *reinterpret_cast<const unsigned*>(pixel + taps[i]) & mask;
          } else {
            const int2 at =
                *reinterpret_cast<const int2*>(windows + first + half * 8 + lane % 4 * 2);
            const unsigned mask = (at.x < 0 ? 0 : 0xffffu) | (at.y < 0 ? 0 : 0xffff0000u);
            const unsigned char *const even = halo + max(at.x, 0), *const odd = halo + max(at.y, 0);
#pragma unroll
            for (int i = 0; i < kN8Tiles; ++i)
              b[i][half] =
                  __byte_perm(*reinterpret_cast<const unsigned short*>(even + taps[i]),
                              *reinterpret_cast<const unsigned short*>(odd + taps[i]), 0x5410) &
                  mask;
          }
        }
#pragma unroll
        for (int i = 0; i < kN8Tiles; ++i)
#pragma unroll
          for (int k = 0; k < kM16Tiles; ++k)
            ptx::mma_sync_m16n8<kOperandType<kMath>>(accum[k][i], a[k], b[i][0], b[i][1]);
      }
    } else {
      for (int pixel = pixel_group; pixel < count; pixel += pixel_groups) {
        const int at = windows[pixel];
        if (at < 0) continue;
        float b[kTaps];
#pragma unroll
        for (int i = 0; i < kTaps; ++i) b[i] = *reinterpret_cast<const float*>(halo + at + taps[i]);
#pragma unroll
        for (int i = 0; i < kM16Tiles * 2; ++i) {
          const int channel = i * 8 + lane / 4;
          const float a = *reinterpret_cast<const float*>(
              outputs + (kChannelsLast ? pixel * gradient.outputs_pitch_bytes + channel * 4
                                       : channel * gradient.outputs_pitch_bytes + pixel * 4));
#pragma unroll
          for (int k = 0; k < kTaps; ++k) {
            float& sum = accum[i / 2][k / 2][i % 2 * 2 + k % 2];
            sum = fmaf(a, b[k], sum);
          }
        }
      }
    }
    __syncthreads();
    if (g.stages == 2)
      stage ^= 1;
    else if (number + 1 < end)
      load(number + 1, 0);
  }

  // Epilogue: several groups of warps may have summed different pixels. Adds their accumulators,
  // always in the same order, and writes the partials.
  auto* const sum_of =
      reinterpret_cast<float*>(shared) + tap_group * kM16Tiles * kN8Tiles * 4 * 32 + lane;
  for (int other = 1; other < pixel_groups; ++other) {
    if (pixel_group == other)
#pragma unroll
      for (int i = 0; i < kM16Tiles * kN8Tiles * 4; ++i)
        sum_of[i * 32] = accum[i / (kN8Tiles * 4)][i / 4 % kN8Tiles][i % 4];
    __syncthreads();
    if (pixel_group == 0)
#pragma unroll
      for (int i = 0; i < kM16Tiles * kN8Tiles * 4; ++i)
        accum[i / (kN8Tiles * 4)][i / 4 % kN8Tiles][i % 4] += sum_of[i * 32];
    __syncthreads();
  }
  if (pixel_group != 0) return;
  partials += static_cast<long long>(split) * g.channels * gradient.taps;
#pragma unroll
  for (int i = 0; i < kM16Tiles; ++i)
#pragma unroll
    for (int k = 0; k < kN8Tiles; ++k)
#pragma unroll
      for (int part = 0; part < 4; ++part) {
        const int channel = first_channel + i * 16 + part / 2 * 8 + lane / 4;
        const int tap = first_tap + k * 8 + lane % 4 * 2 + part % 2;
        if (channel < g.channels && tap < gradient.taps)
          partials[static_cast<long long>(channel) * gradient.taps + tap] = accum[i][k][part];
      }
}

// Adds the partials of all splits (split-K), always in the same order. A block computes 32 elements
// of dw; each of its 8 warps adds an eighth of the splits.
template <Math kMath>
__device__ void reduce_split_k(const GradientGeometry& gradient, const float* partials, void* to) {
  __shared__ float shares[kWarps][32];
  const Geometry& g = gradient.g;
  const long long all = static_cast<long long>(g.channels) * gradient.taps;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const long long i = blockIdx.x * 32ll + lane;
  const int begin = warp * gradient.splits / kWarps, end = (warp + 1) * gradient.splits / kWarps;
  float sum = 0;
  if (i < all)
#pragma unroll 8
    for (int split = begin; split < end; ++split) sum += partials[split * all + i];
  shares[warp][lane] = sum;
  __syncthreads();
  if (warp != 0 || i >= all) return;
  for (int other = 1; other < kWarps; ++other) sum += shares[other][lane];
  const auto channel = static_cast<int>(i / gradient.taps);
  const Tap tap = tap_at(g, static_cast<int>(i - static_cast<long long>(channel) * gradient.taps));
  from_float(sum,
             static_cast<Element<kMath>*>(to)[channel * g.w.strides[0] + tap.c * g.w.strides[1] +
                                              tap.r * g.w.strides[2] + tap.s * g.w.strides[3]]);
}

}  // namespace

// The kernels' names are atc_first_gradient_<math>_<first or last>_<kM16Tiles>x<kN8Tiles>.
#define ATC_FIRST(name, math, last, m16_tiles, n8_tiles)                                           \
  extern "C" __global__ void __launch_bounds__(kThreads, 2) atc_first_gradient_##name(             \
      const __grid_constant__ GradientGeometry g, const void* x, const void* y, void* partials) {  \
    kernels::enable_sm80_or_later([&] {                                                            \
      sum_products<Math::math, last, m16_tiles, n8_tiles>(g, x, y, static_cast<float*>(partials)); \
    });                                                                                            \
  }
#define ATC_FIRST_LAYOUT(math, layout, last)         \
  ATC_FIRST(math##_##layout##_2x4, math, last, 2, 4) \
  ATC_FIRST(math##_##layout##_2x5, math, last, 2, 5) \
  ATC_FIRST(math##_##layout##_4x4, math, last, 4, 4) \
  ATC_FIRST(math##_##layout##_4x5, math, last, 4, 5)
#define ATC_FIRST_OF(math)                                                                \
  ATC_FIRST_LAYOUT(math, first, false)                                                    \
  ATC_FIRST_LAYOUT(math, last, true)                                                      \
  extern "C" __global__ void __launch_bounds__(kThreads) atc_first_sum_##math(            \
      const __grid_constant__ GradientGeometry g, const void* partials, void* to) {       \
    kernels::enable_sm80_or_later(                                                        \
        [&] { reduce_split_k<Math::math>(g, static_cast<const float*>(partials), to); }); \
  }

ATC_FIRST_OF(f16)
ATC_FIRST_OF(bf16)
ATC_FIRST_OF(tf32)
ATC_FIRST_OF(fp32)

#undef ATC_FIRST
#undef ATC_FIRST_LAYOUT
#undef ATC_FIRST_OF

}  // namespace atc::first
