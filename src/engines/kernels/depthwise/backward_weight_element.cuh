// Elements as floats, a few at a time.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace atc::depthwise {

namespace {

__device__ inline float to_float(float value) { return value; }
__device__ inline float to_float(__half value) { return __half2float(value); }
__device__ inline float to_float(__nv_bfloat16 value) { return __bfloat162float(value); }

template <int kBytes>
struct WordOf;
template <>
struct WordOf<2> {
  using Type = unsigned short;
};
template <>
struct WordOf<4> {
  using Type = unsigned;
};
template <>
struct WordOf<8> {
  using Type = uint2;
};
template <>
struct WordOf<16> {
  using Type = uint4;
};

// Adjacent elements that are loaded at once, kept as they lie in memory.
template <typename Element, int kCount>
struct Piece {
  using Word = typename WordOf<kCount * static_cast<int>(sizeof(Element))>::Type;
  Word word;

  __device__ static Piece zero() { return {Word{}}; }
  __device__ static Piece load(const Element* from) {
    return {__ldg(reinterpret_cast<const Word*>(from))};
  }
  __device__ void unpack(float (&values)[kCount]) const {
    union {
      Word word;
      Element elements[kCount];
    } both;
    both.word = word;
#pragma unroll
    for (int i = 0; i < kCount; ++i) values[i] = to_float(both.elements[i]);
  }
};

// The sum over a block, in thread 0: lanes by halves, then warps in order. `scratch` holds a float
// for each warp.
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
