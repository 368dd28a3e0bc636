// Depthwise backward-weight for channels last. Each thread computes a vector of channels. A block
// has several workers: a worker is the threads that together have all channels of the block. A
// split is a part of the sum, and a task is a strip of columns in a band of rows. The workers share
// the tasks of a split. blockIdx.x is the group of channels, y the split, and z the tap group (part
// of the filter). Tiles with kInMemory need Places<Tile>::kSteps * Places<Tile>::kStep bytes of
// dynamic shared memory.
#pragma once

#include "engines/kernels/depthwise/backward_weight_march.cuh"
#include "engines/kernels/depthwise/shared.cuh"

namespace atc::depthwise {

namespace {

template <typename Tile>
__device__ inline void weight_last(const WeightTasks& t, const void* x, const void* y,
                                   float* partials) {
  using Element = typename Tile::Element;
  constexpr int kColumns = Tile::kColumns, kVector = Tile::kVector;
  // Shared memory in which the sums of the workers are added. It is used only after all copies of
  // rows are complete.
  float* exchange;
  if constexpr (Tile::kInMemory) {
    exchange = shared_floats();
  } else {
    __shared__ float sums_of_row[kLastThreads * kColumns * kVector];
    exchange = sums_of_row;
  }
  const int thread = static_cast<int>(threadIdx.x), width = t.vectors_of_block;
  const int vector = thread % width, worker = thread / width, workers = kLastThreads / width;
  const int first_channel = static_cast<int>(blockIdx.x) * width * kVector;
  const int channel = first_channel + vector * kVector;
  const TapGroup group = tap_group(t, Tile::kRows, kColumns);
  Sums<Tile> sums;
  clear<Tile>(sums);
  unsigned char* const memory =
      reinterpret_cast<unsigned char*>(shared_floats()) + thread * Places<Tile>::kBytes;
  if (worker < workers && channel < t.channels) {
    const int begin = static_cast<int>(blockIdx.y) * t.tasks_of_split;
    const int end = min(t.tasks, begin + t.tasks_of_split);
    for (int task = begin + worker; task < end; task += workers)
      add_task<Tile>(t, static_cast<const Element*>(x), static_cast<const Element*>(y), group, task,
                     channel, memory, sums);
  }
  const int row_sums = kColumns * kVector * width;
  const int taps = t.kernel_depth * t.kernel_height * t.kernel_width;
  float* const split = partials + static_cast<long long>(blockIdx.y) * taps * t.channels;
#pragma unroll
  for (int r = 0; r < Tile::kRows; ++r) {
    if (group.row + r >= t.kernel_height) break;
    __syncthreads();
    if (worker < workers) {
#pragma unroll
      for (int s = 0; s < kColumns; ++s)
#pragma unroll
        for (int v = 0; v < kVector; ++v)
          exchange[worker * row_sums + (s * kVector + v) * width + vector] = sums[r][s][v];
    }
    __syncthreads();
    for (int i = thread; i < row_sums; i += kLastThreads) {
      float sum = 0;
      for (int w = 0; w < workers; ++w) sum += exchange[w * row_sums + i];
      const int column = group.column + i / width / kVector;
      const int target = first_channel + i % width * kVector + i / width % kVector;
      const int tap = (group.depth * t.kernel_height + group.row + r) * t.kernel_width + column;
      if (column < t.kernel_width && target < t.channels)
        split[static_cast<long long>(tap) * t.channels + target] = sum;
    }
  }
}

}  // namespace

}  // namespace atc::depthwise
