// Converts elements to floats, one element or a few neighbouring elements at a time.
#pragma once

#include "engines/kernels/depthwise/elements.cuh"

namespace atc::depthwise {

namespace {

// Neighbouring elements that are loaded by one instruction.
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

// Returns, in thread 0, the sum of the values of all threads of the block. The order of the sum is
// fixed: first the lanes of each warp, by halves, then the warps in order. All threads of the block
// must call this function. `scratch` has room for one float for each warp.
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
