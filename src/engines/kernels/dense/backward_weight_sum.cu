// The second kernel of backward-weight in dense convolutions. It adds the partials of all splits
// (split-K), always in the same order, and rounds each sum once.
//
// Contract
//   partials  fp32, [split][r][s][c][k], filled up to whole tiles, fewer than 2^31 elements
//   x, dy     the tensors that the first kernel multiplied. It also multiplied the pixels of
//             padding, as zeros, and zero times Inf or NaN is NaN. So if a sum is NaN, this kernel
//             computes it again from x and dy, only over the pixels inside the images
//   w         dw, any strides (WeightOutput). If output.accumulate is set, the sum is added to it
//   block     kSumThreads threads, for 32 filters and kSumWarps / output.sharers channels
//   shared    static: the sums of each warp, the sums of nine taps, and the offsets of these sums
//             in w
#include "device/cuda/kernels/float.cuh"
#include "engines/kernels/dense/backward_weight_geometry.hpp"

namespace atc::dense {

namespace {

constexpr int kTapsAtOnce = 9;

// Computes one element of dw directly from x and dy, without the pixels of padding. All lanes of a
// warp must call this function together: each lane sums a part of each row, and each lane gets the
// whole sum.
template <typename Element>
__device__ float sum_directly(const WeightGeometry& g, const Element* x, const Element* dy,
                              int filter, int channel, int row, int column) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const long long x_plane = static_cast<long long>(g.height) * g.width;
  const long long dy_plane = static_cast<long long>(g.out_height) * g.out_width;
  float sum = 0;
  for (int image = 0; image < g.images; ++image) {
    const Element* const of_x =
        x + (static_cast<long long>(image) * g.channels + channel) * x_plane;
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

// Adds the partials. For each channel, output.sharers warps share the splits.
template <typename Element>
__device__ void reduce_split_k(const WeightGeometry& g, const WeightOutput& output,
                               const Element* x, const Element* dy, const float* partials,
                               Element* w) {
  __shared__ float shares[kSumWarps][kTapsAtOnce][32];
  __shared__ float sums[32][kSumWarps * kTapsAtOnce + 1];
  // The offsets in w of the elements to which the sums are stored.
  __shared__ long long places[kSumWarps * kTapsAtOnce];
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
  const int padded = g.filter_blocks * kTileFilters, groups = padded / 32;
  const int block = static_cast<int>(blockIdx.x), channels = kSumWarps / output.sharers;
  const int first_filter = block % groups * 32, first_channel = block / groups * channels;
  const int own = warp / output.sharers, share = warp - own * output.sharers;
  const int channel = first_channel + own;
  const int taps = g.rows * g.columns;
  // 32-bit indices are enough, because all partials together are fewer than 2^31 elements (the
  // limit kMostParts of backward_weight_plan.cpp).
  const int tap_parts = g.channel_blocks * kTileChannels * padded;
  const int begin = share * g.splits / output.sharers;
  const int end = (share + 1) * g.splits / output.sharers;
  // Partials are filled up to whole tiles. So there are partials for channels after the last one,
  // but dw has no elements for them.
  const bool valid = channel < g.channels;
  const int column_at = (valid ? channel : 0) * padded + first_filter + lane;
  for (int first = 0; first < taps; first += kTapsAtOnce) {
    const int here = min(kTapsAtOnce, taps - first);
    float of_taps[kTapsAtOnce] = {};
    int at = (begin * taps + first) * tap_parts + column_at;
#pragma unroll 2
    for (int split = begin; split < end; ++split) {
      // All partials of a split are loaded before the first one is added, so that the loads
      // overlap.
      float of_split[kTapsAtOnce];
#pragma unroll
      for (int tap = 0; tap < kTapsAtOnce; ++tap)
        of_split[tap] = partials[at + min(tap, here - 1) * tap_parts];
#pragma unroll
      for (int tap = 0; tap < kTapsAtOnce; ++tap) of_taps[tap] += of_split[tap];
      at += taps * tap_parts;
    }
#pragma unroll
    for (int tap = 0; tap < kTapsAtOnce; ++tap) shares[warp][tap][lane] = of_taps[tap];
    __syncthreads();
    // Adds the sums of the warps that share a channel. These warps divide the taps among
    // themselves.
    for (int tap = share; tap < here; tap += output.sharers) {
      float sum = shares[warp - share][tap][lane];
      for (int i = 1; i < output.sharers; ++i) sum += shares[warp - share + i][tap][lane];
      unsigned doubtful = __ballot_sync(
          ~0u, static_cast<int>(isnan(sum) && valid && first_filter + lane < g.filters));
      while (doubtful != 0) {
        const int at = __ffs(static_cast<int>(doubtful)) - 1;
        doubtful &= doubtful - 1;
        const int row = (first + tap) / g.columns;
        const float right =
            sum_directly(g, x, dy, first_filter + at, channel, row, first + tap - row * g.columns);
        if (lane == at) sum = right;
      }
      sums[lane][own * here + tap] = sum;
    }
    __syncthreads();
    // Computes the offsets in w of the sums of one filter, in the order of the stores: the taps of
    // one channel, then the taps of the next channel. So neighbouring threads store neighbouring
    // elements of a dense w.
    const int across = min(channels, g.channels - first_channel) * here;
    for (int i = thread; i < across; i += kSumThreads) {
      const int of_channel = i / here, tap = first + i - of_channel * here;
      const int row = tap / g.columns, column = tap - row * g.columns;
      places[i] = (first_channel + of_channel) * output.strides[1] + row * output.strides[2] +
                  column * output.strides[3];
    }
    __syncthreads();
    for (int i = thread; i < 32 * across; i += kSumThreads) {
      const int in_block = i / across, in_run = i - in_block * across;
      const int filter = first_filter + in_block;
      if (filter >= g.filters) break;
      Element& to = w[filter * output.strides[0] + places[in_run]];
      float sum = sums[in_block][in_run];
      if (output.accumulate != 0) sum += cuda::to_float(to);
      cuda::from_float(sum, to);
    }
  }
}

}  // namespace

// The kernels' names are atc_dense_weight_sum_<dtype>.
#define ATC_DENSE(dtype, Element)                                                              \
  extern "C" __global__ void __launch_bounds__(kSumThreads) atc_dense_weight_sum_##dtype(      \
      const __grid_constant__ WeightGeometry g, const __grid_constant__ WeightOutput output,   \
      const void* x, const void* dy, const float* partials, void* w) {                         \
    reduce_split_k(g, output, static_cast<const Element*>(x), static_cast<const Element*>(dy), \
                   partials, static_cast<Element*>(w));                                        \
  }
ATC_DENSE(f32, float)
ATC_DENSE(f16, __half)
ATC_DENSE(bf16, __nv_bfloat16)

#undef ATC_DENSE

}  // namespace atc::dense
