// Depthwise backward-weight for channels first. A block computes one channel. Its threads divide
// the tasks (strips of columns of the planes) among themselves. blockIdx.x is the channel, y the
// split (part of the sum), and z the tap group (part of the filter).
#include "engines/kernels/depthwise/backward_weight_march.cuh"

namespace atc::depthwise {

namespace {

// The most threads of a block in the kernels for channels first.
constexpr int kFirstThreads = 128;

// Adds the sums of all threads of the block, always in the same order: first the lanes of each
// warp, by halves, then the warps. Then writes these sums to the workspace as partials. Taps of the
// tile that the filter does not have are left out.
template <int kRows, int kColumns>
__device__ inline void write_sums(const WeightTasks& t, const TapGroup& group,
                                  const float (&sums)[kRows][kColumns][1], float* partials) {
  constexpr int kTaps = kRows * kColumns;
  __shared__ float exchange[kFirstThreads / 32][kTaps];
  const int thread = static_cast<int>(threadIdx.x), warps = static_cast<int>(blockDim.x) / 32;
#pragma unroll
  for (int i = 0; i < kTaps; ++i) {
    float sum = sums[i / kColumns][i % kColumns][0];
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
      sum += __shfl_down_sync(0xffffffffu, sum, distance);
    if (thread % 32 == 0) exchange[thread / 32][i] = sum;
  }
  __syncthreads();
  for (int i = thread; i < kTaps; i += static_cast<int>(blockDim.x)) {
    const int row = group.row + i / kColumns, column = group.column + i % kColumns;
    if (row >= t.kernel_height || column >= t.kernel_width) continue;
    float sum = 0;
    for (int warp = 0; warp < warps; ++warp) sum += exchange[warp][i];
    const long long filter = static_cast<long long>(blockIdx.y) * t.channels + blockIdx.x;
    partials[((filter * t.kernel_depth + group.depth) * t.kernel_height + row) * t.kernel_width +
             column] = sum;
  }
}

template <typename Tile>
__device__ inline void weight_first(const WeightTasks& t, const void* x, const void* y,
                                    float* partials) {
  using Element = typename Tile::Element;
  const TapGroup group = tap_group(t, Tile::kRows, Tile::kColumns);
  const int begin = static_cast<int>(blockIdx.y) * t.tasks_of_split;
  const int end = min(t.tasks, begin + t.tasks_of_split);
  Sums<Tile> sums;
  clear<Tile>(sums);
  for (int task = begin + static_cast<int>(threadIdx.x); task < end;
       task += static_cast<int>(blockDim.x))
    add_task<Tile>(t, static_cast<const Element*>(x), static_cast<const Element*>(y), group, task,
                   static_cast<int>(blockIdx.x), nullptr, sums);
  write_sums(t, group, sums, partials);
}

// Computes the partials of a problem with one spatial dimension. Each row of outputs (line) is
// divided into parts (tasks). In each task, a thread multiplies kUnroll outputs, which are kThreads
// apart.
template <typename Element, int kColumns, int kStride, int kUnroll>
__device__ inline void weight_line(const WeightTasks& t, const void* x, const void* y,
                                   float* partials) {
  using One = Piece<Element, 1>;
  const TapGroup group = tap_group(t, 1, kColumns);
  constexpr int kThreads = kFirstThreads, kWidth = kThreads * kUnroll;
  const int begin = static_cast<int>(blockIdx.y) * t.tasks_of_split;
  const int end = min(t.tasks, begin + t.tasks_of_split);
  const int pad = t.pad_width - group.column;
  float sums[1][kColumns][1] = {};
  for (int task = begin; task < end; ++task) {
    const int first = task % t.strips * kWidth, own = first + static_cast<int>(threadIdx.x);
    const long long line =
        static_cast<long long>(task / t.strips) * t.channels + static_cast<int>(blockIdx.x);
    const Element* const from_x = static_cast<const Element*>(x) + line * t.in_width;
    const Element* const from_y = static_cast<const Element*>(y) + line * t.out_width;
    One xs[kUnroll][kColumns], ys[kUnroll];
    // A task (a part of a row of outputs) in the middle of a row reads no padding, so its loads
    // need no checks. All threads of the block take the same branch, because they share the task.
    if (first * kStride >= pad && first + kWidth <= t.out_width &&
        (first + kWidth - 1) * kStride - pad + kColumns <= t.in_width) {
#pragma unroll
      for (int u = 0; u < kUnroll; ++u) {
        ys[u] = One::load(from_y + own + u * kThreads);
#pragma unroll
        for (int s = 0; s < kColumns; ++s)
          xs[u][s] = One::load(from_x + (own + u * kThreads) * kStride - pad + s);
      }
    } else {
#pragma unroll
      for (int u = 0; u < kUnroll; ++u) {
        const int output = own + u * kThreads, column = output * kStride - pad;
        ys[u] = output < t.out_width ? One::load(from_y + output) : One::zero();
#pragma unroll
        for (int s = 0; s < kColumns; ++s)
          xs[u][s] = column + s >= 0 && column + s < t.in_width ? One::load(from_x + column + s)
                                                                : One::zero();
      }
    }
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      float factor[1], value[1];
      ys[u].unpack(factor);
#pragma unroll
      for (int s = 0; s < kColumns; ++s) {
        xs[u][s].unpack(value);
        sums[0][s][0] = fmaf(value[0], factor[0], sums[0][s][0]);
      }
    }
  }
  write_sums(t, group, sums, partials);
}

}  // namespace

// A kernel's name contains the sizes of its tile of the filter (backward_weight_plan.hpp explains
// them).
#define ATC_WEIGHT_FIRST(TYPE, ELEMENT, ROWS, COLUMNS, STRIDE, WIDTH, AHEAD, BLOCKS)        \
  extern "C" __global__ void __launch_bounds__(kFirstThreads, BLOCKS)                       \
      atc_depthwise_weight_first_r##ROWS##x##COLUMNS##_u##STRIDE##_w##WIDTH##_c1_##TYPE(    \
          WeightTasks tasks, const void* x, const void* y, float* partials) {               \
    weight_first<Tile<ELEMENT, ROWS, COLUMNS, STRIDE, WIDTH, 1, AHEAD, false>>(tasks, x, y, \
                                                                               partials);   \
  }
#define ATC_WEIGHT_FIRST_ALL(...)            \
  ATC_WEIGHT_FIRST(f32, float, __VA_ARGS__)  \
  ATC_WEIGHT_FIRST(f16, __half, __VA_ARGS__) \
  ATC_WEIGHT_FIRST(bf16, __nv_bfloat16, __VA_ARGS__)

ATC_WEIGHT_FIRST_ALL(3, 3, 1, 1, 3, 8)
ATC_WEIGHT_FIRST_ALL(3, 3, 1, 2, 3, 7)
ATC_WEIGHT_FIRST_ALL(3, 3, 2, 1, 2, 8)
ATC_WEIGHT_FIRST_ALL(3, 3, 2, 2, 2, 6)
ATC_WEIGHT_FIRST_ALL(5, 5, 1, 1, 5, 5)
ATC_WEIGHT_FIRST_ALL(5, 5, 1, 2, 5, 4)
ATC_WEIGHT_FIRST_ALL(5, 5, 2, 1, 3, 5)
ATC_WEIGHT_FIRST_ALL(5, 5, 2, 2, 3, 4)
ATC_WEIGHT_FIRST_ALL(7, 7, 1, 1, 1, 5)
ATC_WEIGHT_FIRST_ALL(7, 7, 1, 2, 1, 4)
ATC_WEIGHT_FIRST_ALL(7, 7, 2, 1, 1, 4)

#undef ATC_WEIGHT_FIRST_ALL
#undef ATC_WEIGHT_FIRST

#define ATC_WEIGHT_LINE(TYPE, ELEMENT, COLUMNS, STRIDE, UNROLL)                   \
  extern "C" __global__ void __launch_bounds__(kFirstThreads)                     \
      atc_depthwise_weight_line_r1x##COLUMNS##_u##STRIDE##_w##UNROLL##_c1_##TYPE( \
          WeightTasks tasks, const void* x, const void* y, float* partials) {     \
    weight_line<ELEMENT, COLUMNS, STRIDE, UNROLL>(tasks, x, y, partials);         \
  }
#define ATC_WEIGHT_LINE_ALL(...)            \
  ATC_WEIGHT_LINE(f32, float, __VA_ARGS__)  \
  ATC_WEIGHT_LINE(f16, __half, __VA_ARGS__) \
  ATC_WEIGHT_LINE(bf16, __nv_bfloat16, __VA_ARGS__)

ATC_WEIGHT_LINE_ALL(4, 1, 8)
ATC_WEIGHT_LINE_ALL(7, 1, 4)
ATC_WEIGHT_LINE_ALL(7, 2, 4)

#undef ATC_WEIGHT_LINE_ALL
#undef ATC_WEIGHT_LINE

}  // namespace atc::depthwise
