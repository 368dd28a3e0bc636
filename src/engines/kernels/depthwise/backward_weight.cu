// Two kernels of depthwise backward-weight. atc_depthwise_weight_any computes the partials of
// problems for which no kernel with a tile of the filter exists. atc_depthwise_weight_finish adds
// the partials of all problems (split-K).
//
// Contract
//   x, y      any strides (WeightProblem); aligned to an element; y is the gradient of the outputs
//   partials  fp32, [split][element of w]
//   w         dw: dense, of the type output_dtype
//   shared    static
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "core/dtype.hpp"
#include "device/cuda/kernels/element.cuh"
#include "engines/kernels/depthwise/backward_weight_element.cuh"
#include "engines/kernels/depthwise/backward_weight_geometry.hpp"

namespace atc::depthwise {

namespace {

constexpr int kDirectThreads = 128, kFinishThreads = 256, kFinishSums = 32;
// The number of outputs of a row that a warp sums at a time.
constexpr int kSegment = 1024;

__device__ inline int ceil_divide(int a, int b) { return a > 0 ? (a + b - 1) / b : -(-a / b); }

// Returns a part of the sum of one element of dw. The sum is divided among `warps` warps, and the
// part of warp number `warp` is divided among its lanes; each lane returns its own part. Taps in
// padding are skipped. So an Inf changes only the sums to which its products belong.
template <typename Element>
__device__ float direct_sum(const WeightProblem& p, const void* x, const void* y, long long element,
                            int warp, int warps) {
  const int columns = p.kernel[2], rows = p.kernel[1], taps = p.kernel[0] * rows * columns;
  const int channel = static_cast<int>(element / taps), tap = static_cast<int>(element % taps);
  const int offset[3] = {tap / columns / rows * p.dilation[0] - p.pad[0],
                         tap / columns % rows * p.dilation[1] - p.pad[1],
                         tap % columns * p.dilation[2] - p.pad[2]};
  const int low = max(0, ceil_divide(-offset[2], p.stride[2]));
  const int high = min(p.out[2], ceil_divide(p.in[2] - offset[2], p.stride[2]));
  const int segments = (p.out[2] + kSegment - 1) / kSegment;
  const long long pieces = static_cast<long long>(p.batch) * p.out[0] * p.out[1] * segments;
  float sum = 0;
  for (long long piece = warp; piece < pieces; piece += warps) {
    const int segment = static_cast<int>(piece % segments);
    const long long row = piece / segments, plane = row / p.out[1];
    const int out_row = static_cast<int>(row % p.out[1]);
    const int out_depth = static_cast<int>(plane % p.out[0]);
    const long long sample = plane / p.out[0];
    const int in_row = out_row * p.stride[1] + offset[1];
    const int in_depth = out_depth * p.stride[0] + offset[0];
    if (in_row < 0 || in_row >= p.in[1] || in_depth < 0 || in_depth >= p.in[0]) continue;
    const Element* const from_x = static_cast<const Element*>(x) + sample * p.x_strides[0] +
                                  channel / p.multiplier * p.x_strides[1] +
                                  in_depth * p.x_strides[2] + in_row * p.x_strides[3];
    const Element* const from_y = static_cast<const Element*>(y) + sample * p.y_strides[0] +
                                  channel * p.y_strides[1] + out_depth * p.y_strides[2] +
                                  out_row * p.y_strides[3];
    const int end = min(high, (segment + 1) * kSegment);
    for (int i = max(low, segment * kSegment) + static_cast<int>(threadIdx.x) % 32; i < end;
         i += 32)
      sum = fmaf(to_float(from_x[(i * p.stride[2] + offset[2]) * p.x_strides[4]]),
                 to_float(from_y[i * p.y_strides[4]]), sum);
  }
  return sum;
}

__device__ inline float direct_sum_of(const WeightProblem& p, int dtype, const void* x,
                                      const void* y, long long element, int warp, int warps) {
  switch (static_cast<Dtype>(dtype)) {
    case Dtype::f32:
      return direct_sum<float>(p, x, y, element, warp, warps);
    case Dtype::f16:
      return direct_sum<__half>(p, x, y, element, warp, warps);
    case Dtype::bf16:
      return direct_sum<__nv_bfloat16>(p, x, y, element, warp, warps);
  }
  return 0;
}

}  // namespace

// A block computes the partial sum of one element of dw (number blockIdx.x) for one split (number
// blockIdx.y).
extern "C" __global__ void __launch_bounds__(kDirectThreads)
    atc_depthwise_weight_any(WeightProblem p, WeightPartials f, const void* x, const void* y,
                             float* partials) {
  __shared__ float scratch[kDirectThreads / 32];
  const long long element = blockIdx.x, elements = gridDim.x;
  const int warps_of_block = kDirectThreads / 32;
  const int warp =
      static_cast<int>(blockIdx.y) * warps_of_block + static_cast<int>(threadIdx.x) / 32;
  const float own = direct_sum_of(p, f.dtype, x, y, element, warp, f.splits * warps_of_block);
  const float sum = sum_of_block(own, scratch);
  if (threadIdx.x == 0) partials[blockIdx.y * elements + element] = sum;
}

// A block adds the partials of all splits for kFinishSums elements, always in the same order, and
// rounds each sum once. The kernels with tiles multiply padding, as zeros, and zero times Inf is
// NaN. So if a sum is not finite, it is computed again, without padding.
extern "C" __global__ void __launch_bounds__(kFinishThreads)
    atc_depthwise_weight_finish(WeightProblem p, WeightPartials f, const void* x, const void* y,
                                const float* partials, void* w) {
  constexpr int kParts = kFinishThreads / kFinishSums;
  __shared__ float parts[kParts][kFinishSums];
  __shared__ float scratch[kFinishThreads / 32];
  const int lane = static_cast<int>(threadIdx.x) % kFinishSums;
  const int part = static_cast<int>(threadIdx.x) / kFinishSums;
  const long long elements = static_cast<long long>(f.channels) * f.taps;
  const long long first = static_cast<long long>(blockIdx.x) * kFinishSums;
  float own = 0;
  if (first + lane < elements) {
#pragma unroll 4
    for (int split = part; split < f.splits; split += kParts)
      own += partials[split * elements + first + lane];
  }
  parts[part][lane] = own;
  __syncthreads();
  // Returns the index in w of the element whose sum has the number i in this block.
  const auto number = [&](int i) {
    const long long place = first + i;
    return f.tap_major ? place % f.channels * f.taps + place / f.channels : place;
  };
  const auto write = [&](long long element, float sum) {
    const double old = f.accumulate ? cuda::load_element(w, f.output_dtype, element) : 0.0;
    cuda::store_element(w, f.output_dtype, element, old + sum);
  };
  if (part == 0) {
    float sum = 0;
#pragma unroll
    for (int i = 0; i < kParts; ++i) sum += parts[i][lane];
    parts[0][lane] = sum;
    if (isfinite(sum) && first + lane < elements) write(number(lane), sum);
  }
  __syncthreads();
  for (int i = 0; i < kFinishSums && first + i < elements; ++i) {
    if (isfinite(parts[0][i])) continue;
    const long long element = number(i);
    const float anew = direct_sum_of(p, f.dtype, x, y, element, static_cast<int>(threadIdx.x) / 32,
                                     kFinishThreads / 32);
    const float sum = sum_of_block(anew, scratch);
    if (threadIdx.x == 0) write(element, sum);
  }
}

}  // namespace atc::depthwise
