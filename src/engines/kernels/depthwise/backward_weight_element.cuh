// Elements as floats, one or a few at a time.
#pragma once

#include "engines/kernels/depthwise/elements.cuh"

namespace atc::depthwise {

namespace {

// Adjacent elements that are loaded together, in the order of memory.
template <typename Element, int kCount>
struct Piece {
  using Bits = typename Word<kCount* static_cast<int>(sizeof(Element))>::Type;
  Bits word;

  __device__ static Piece zero() { return {Bits{}}; }
  __device__ static Piece load(const Element* from) {
    return {__ldg(reinterpret_cast<const Bits*>(from))};
  }
  __device__ void unpack(float (&values)[kCount]) const {
    union {
      Bits word;
      Element elements[kCount];
    } both;
    both.word = word;
#pragma unroll
    for (int i = 0; i < kCount; ++i) values[i] = to_float(both.elements[i]);
  }
};

// Returns the sum over a block, in thread 0. The lanes of a warp are added by halves, then the
// warps in order. `scratch` has a float for each warp.
__device__ inline float sum_of_block(float value, float* scratch) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_down_sync(0xffffffffu, value, distance);
  __syncthreads();
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = value;
  __syncthreads();
  float sum = 0;
  if (threadIdx.x == 0)
    for (unsigned warp = 0; warp < blockDim.x / 32; ++warp) sum += scratch[warp];
  return sum;
}

}  // namespace

}  // namespace atc::depthwise
