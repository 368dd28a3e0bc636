// Converts elements of tensors to double and back. A conversion from double rounds exactly once, to
// nearest even, as in core/half.hpp.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "core/dtype.hpp"
#include "device/cuda/kernels/layout.hpp"

namespace atc::cuda {

__device__ inline double load_element(const void* data, int dtype, long long index) {
  switch (static_cast<Dtype>(dtype)) {
    case Dtype::f32:
      return static_cast<const float*>(data)[index];
    case Dtype::bf16:
      return __bfloat162float(static_cast<const __nv_bfloat16*>(data)[index]);
    case Dtype::f16:
      return __half2float(static_cast<const __half*>(data)[index]);
  }
  return 0;
}

__device__ inline void store_element(void* data, int dtype, long long index, double value) {
  switch (static_cast<Dtype>(dtype)) {
    case Dtype::f32:
      static_cast<float*>(data)[index] = static_cast<float>(value);
      return;
    case Dtype::bf16:
      static_cast<__nv_bfloat16*>(data)[index] = __double2bfloat16(value);
      return;
    case Dtype::f16:
      static_cast<__half*>(data)[index] = __double2half(value);
      return;
  }
}

// Returns the offset of the element with the number `logical`, in elements. The elements are
// numbered in the order of their indices, the last index running fastest. The divisions take most
// of the time, and a division of 32-bit integers is several times faster than one of 64-bit
// integers. So `Integer` has 32 bits if all numbers fit.
template <typename Integer>
__device__ inline long long offset_by(const Layout& layout, Integer logical) {
  long long offset = 0;
  for (int i = layout.rank - 1; i > 0; --i) {
    const auto extent = static_cast<Integer>(layout.shape[i]);
    const Integer rest = logical / extent;
    offset += static_cast<long long>(logical - rest * extent) * layout.strides[i];
    logical = rest;
  }
  return offset + static_cast<long long>(logical) * layout.strides[0];
}

// Returns the offset, in elements, of the element with the number `logical`. The elements are
// numbered in the order of their indices, the last index running fastest.
__device__ inline long long offset_of(const Layout& layout, long long logical) {
  return layout.elements <= 0xffffffffll ? offset_by(layout, static_cast<unsigned>(logical))
                                         : offset_by(layout, logical);
}

__device__ inline long long first_index() {
  return blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
}
__device__ inline long long index_step() { return static_cast<long long>(gridDim.x) * blockDim.x; }

}  // namespace atc::cuda
