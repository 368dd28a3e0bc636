// Adds the parts of a gradient's splits, in order, and rounds the sums once.
//
// Pixels of padding met the outputs' gradient as zeros, which with an Inf or NaN make NaN: such a
// sum is taken anew, of the pixels that there are.
#include "device/cuda/kernels/float.cuh"
#include "engines/kernels/dense/backward_weight_geometry.hpp"

namespace atc::dense {

namespace {

constexpr int kWarps = kSumThreads / 32;
constexpr int kTapsAtOnce = 9;

// By the lanes of a warp together, each a share of a row.
template <typename Element>
__device__ float sum_directly(const WeightGeometry& g, const Element* x, const Element* dy,
                              int filter, int channel, int row, int column) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const long long x_plane = static_cast<long long>(g.height) * g.width;
  const long long dy_plane = static_cast<long long>(g.out_height) * g.out_width;
  float sum = 0;
  for (int image = 0; image < g.images; ++image) {
    const Element* const of_x = x + (static_cast<long long>(image) * g.channels + channel) * x_plane;
    const Element* const of_dy =
        dy + (static_cast<long long>(image) * g.filters + filter) * dy_plane;
    for (int p = 0; p < g.out_height; ++p) {
      const int h = p * g.stride + row * g.row_dilation - g.pad_top;
      if (h < 0 || h >= g.height) continue;
      for (int q = lane; q < g.out_width; q += 32) {
        const int w = q * g.stride + column * g.column_dilation - g.pad_left;
        if (w >= 0 && w < g.width)
          sum = fmaf(cuda::to_float(of_x[h * g.width + w]),
                     cuda::to_float(of_dy[p * g.out_width + q]), sum);
      }
    }
    if (__any_sync(~0u, static_cast<int>(isnan(sum))) != 0) break;
  }
  for (int other = 16; other > 0; other /= 2) sum += __shfl_xor_sync(~0u, sum, other);
  return sum;
}

// A block has one channel, 32 filters and all taps; a warp a share of the splits.
template <typename Element>
__device__ void sum_parts(const WeightGeometry& g, const WeightOutput& output, const Element* x,
                          const Element* dy, const float* parts, Element* w) {
  __shared__ float shares[kTapsAtOnce][kWarps][32];
  __shared__ float sums[32][kTapsAtOnce];
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
  const int channels = g.channel_blocks * kTileChannels, filters = g.filter_blocks * kTileFilters;
  const int groups = filters / 32, channel = static_cast<int>(blockIdx.x) / groups;
  const int first_filter = (static_cast<int>(blockIdx.x) - channel * groups) * 32;
  const int taps = g.rows * g.columns;
  const long long tap_parts = static_cast<long long>(channels) * filters;
  const long long split_parts = tap_parts * taps;
  const int begin = warp * g.splits / kWarps, end = (warp + 1) * g.splits / kWarps;
  parts += static_cast<long long>(channel) * filters + first_filter + lane;
  for (int first = 0; first < taps; first += kTapsAtOnce) {
    const int here = min(kTapsAtOnce, taps - first);
    for (int tap = 0; tap < here; ++tap) {
      float sum = 0;
#pragma unroll 8
      for (int split = begin; split < end; ++split)
        sum += parts[split * split_parts + (first + tap) * tap_parts];
      shares[tap][warp][lane] = sum;
    }
    __syncthreads();
    for (int tap = warp; tap < here; tap += kWarps) {
      float sum = shares[tap][0][lane];
      for (int i = 1; i < kWarps; ++i) sum += shares[tap][i][lane];
      unsigned doubtful = __ballot_sync(
          ~0u, static_cast<int>(isnan(sum) && first_filter + lane < g.filters));
      while (doubtful != 0) {
        const int at = __ffs(static_cast<int>(doubtful)) - 1;
        doubtful &= doubtful - 1;
        const int row = (first + tap) / g.columns;
        const float right = sum_directly(g, x, dy, first_filter + at, channel, row,
                                         first + tap - row * g.columns);
        if (lane == at) sum = right;
      }
      sums[lane][tap] = sum;
    }
    __syncthreads();
    for (int i = thread; i < 32 * here; i += kSumThreads) {
      const int in_block = i / here, tap = i - in_block * here, filter = first_filter + in_block;
      if (filter >= g.filters) break;
      const int row = (first + tap) / g.columns, column = first + tap - row * g.columns;
      Element& to = w[filter * output.strides[0] + channel * output.strides[1] +
                      row * output.strides[2] + column * output.strides[3]];
      float sum = sums[in_block][tap];
      if (output.accumulate != 0) sum += cuda::to_float(to);
      cuda::from_float(sum, to);
    }
    __syncthreads();
  }
}

}  // namespace

// atc_dense_weight_sum_<dtype>
#define ATC_DENSE(dtype, Element)                                                              \
  extern "C" __global__ void __launch_bounds__(kSumThreads) atc_dense_weight_sum_##dtype(      \
      const __grid_constant__ WeightGeometry g, const __grid_constant__ WeightOutput output,   \
      const void* x, const void* dy, const float* parts, void* w) {                            \
    sum_parts(g, output, static_cast<const Element*>(x), static_cast<const Element*>(dy),      \
              parts, static_cast<Element*>(w));                                                \
  }
ATC_DENSE(f32, float)
ATC_DENSE(f16, __half)
ATC_DENSE(bf16, __nv_bfloat16)

#undef ATC_DENSE

}  // namespace atc::dense
