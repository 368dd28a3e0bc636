// Loads and stores elements, which are fp32 in registers. A store rounds to the nearest element,
// ties to even.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "core/dtype.hpp"
#include "device/cuda/kernels/float.cuh"

namespace atc::depthwise {

using cuda::from_float;
using cuda::to_float;

// Returns the larger of `value` and 0. fmaxf is not used, because it would turn a NaN into 0.
__device__ inline float relu(float value) { return value < 0 ? 0.0f : value; }

template <int kBytes>
struct Word;
template <>
struct Word<2> {
  using Type = unsigned short;
};
template <>
struct Word<4> {
  using Type = unsigned;
};
template <>
struct Word<8> {
  using Type = uint2;
};
template <>
struct Word<16> {
  using Type = uint4;
};

// Neighbouring elements that one instruction loads or stores. Their address must be a multiple of
// their size.
template <typename Element, int kCount>
struct Vector {
  using Bits = typename Word<kCount* static_cast<int>(sizeof(Element))>::Type;
  Bits bits;

  __device__ static Vector zero() { return {Bits{}}; }
  __device__ static Vector load(const Element* from) {
    return {*reinterpret_cast<const Bits*>(from)};
  }
  __device__ void store(Element* to) const { *reinterpret_cast<Bits*>(to) = bits; }
  __device__ void unpack(float (&values)[kCount]) const {
    union {
      Bits bits;
      Element elements[kCount];
    } both;
    both.bits = bits;
#pragma unroll
    for (int i = 0; i < kCount; ++i) values[i] = to_float(both.elements[i]);
  }
  __device__ static Vector pack(const float (&values)[kCount]) {
    union {
      Bits bits;
      Element elements[kCount];
    } both;
#pragma unroll
    for (int i = 0; i < kCount; ++i) from_float(values[i], both.elements[i]);
    return {both.bits};
  }
};

// Calls body(Element{}), where Element is the C++ type of a dtype.
template <typename Body>
__device__ void with_element(int dtype, Body body) {
  switch (static_cast<Dtype>(dtype)) {
    case Dtype::f32:
      return body(float{});
    case Dtype::f16:
      return body(__half{});
    case Dtype::bf16:
      return body(__nv_bfloat16{});
  }
}

}  // namespace atc::depthwise
