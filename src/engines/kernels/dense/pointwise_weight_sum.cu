// The second kernel of backward-weight in pointwise convolutions. It adds the partials of all
// splits (split-K), always in the same order, and rounds each sum once.
//
// Contract
//   partials  as pointwise_weight.cu writes them
//   w         dw, any strides (PointwiseWeightOutput). If output.accumulate is set, the sum is
//             added to it
//   block     kPointwiseSumThreads threads. output.sharers threads together compute four
//             neighbouring sums: each of them adds the partials of some of the splits
#include "device/cuda/kernels/float.cuh"
#include "engines/kernels/dense/pointwise_weight_geometry.hpp"

namespace atc::dense {

namespace {

__device__ __forceinline__ void add(float4& sum, const float4& value) {
  sum.x += value.x;
  sum.y += value.y;
  sum.z += value.z;
  sum.w += value.w;
}

template <typename Element>
__device__ void reduce_split_k(const PointwiseWeightGeometry& g,
                               const PointwiseWeightOutput& output, const float* partials,
                               Element* w) {
  __shared__ float4 shares[kPointwiseSumThreads];
  const int thread = static_cast<int>(threadIdx.x);
  const int fours = kPointwiseSumThreads / output.sharers;
  const int share = thread / fours;
  const int of_row = output.tile_columns / 4, of_tile = output.tile_rows * of_row;
  const int tiles = g.a_tiles * g.b_tiles;
  const int four = static_cast<int>(blockIdx.x) * fours + thread % fours;
  const bool valid = four < tiles * of_tile;
  const int begin = share * g.splits / output.sharers;
  const int end = (share + 1) * g.splits / output.sharers;
  float4 sum = {};
  if (valid) {
    const long long step = static_cast<long long>(tiles) * of_tile;
    const float4* from = reinterpret_cast<const float4*>(partials) + begin * step + four;
    int left = end - begin;
    constexpr int kAtOnce = 4;
    for (; left >= kAtOnce; left -= kAtOnce) {
      // The partials of kAtOnce splits are all loaded before the first one is added, so that the
      // loads overlap.
      float4 values[kAtOnce];
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) values[i] = from[i * step];
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) add(sum, values[i]);
      from += kAtOnce * step;
    }
    for (; left > 0; --left) {
      add(sum, *from);
      from += step;
    }
  }
  if (output.sharers > 1) {
    shares[thread] = sum;
    __syncthreads();
    if (share != 0) return;
    for (int i = 1; i < output.sharers; ++i) add(sum, shares[thread + i * fours]);
  }
  if (!valid) return;
  const int tile = four / of_tile, in_tile = four - tile * of_tile;
  const int row = in_tile / of_row, column = (in_tile - row * of_row) * 4;
  const int a_tile = tile / g.b_tiles, b_tile = tile - a_tile * g.b_tiles;
  const int a = a_tile * output.tile_rows + row;
  if (a >= g.a_rows) return;
  const float values[4] = {sum.x, sum.y, sum.z, sum.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int b = b_tile * output.tile_columns + column + i;
    if (b >= g.b_rows) continue;
    Element& to = w[a * output.a_stride + b * output.b_stride];
    float value = values[i];
    if (output.accumulate != 0) value += cuda::to_float(to);
    cuda::from_float(value, to);
  }
}

}  // namespace

// The kernels' names are atc_pointwise_weight_sum_<dtype>.
#define ATC_POINTWISE(dtype, Element)                                                        \
  extern "C" __global__ void __launch_bounds__(kPointwiseSumThreads)                         \
      atc_pointwise_weight_sum_##dtype(const __grid_constant__ PointwiseWeightGeometry g,    \
                                       const __grid_constant__ PointwiseWeightOutput output, \
                                       const float* partials, void* w) {                     \
    reduce_split_k(g, output, partials, static_cast<Element*>(w));                           \
  }
ATC_POINTWISE(f32, float)
ATC_POINTWISE(f16, __half)
ATC_POINTWISE(bf16, __nv_bfloat16)

#undef ATC_POINTWISE

}  // namespace atc::dense
