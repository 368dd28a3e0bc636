// Elements of tensors as numbers, rounding to nearest even exactly once, as core/half.hpp does.
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

// Where the element with this logical number lies.
__device__ inline long long offset_of(const Layout& layout, long long logical) {
  long long offset = 0;
  for (int i = layout.rank - 1; i >= 0; --i) {
    offset += logical % layout.shape[i] * layout.strides[i];
    logical /= layout.shape[i];
  }
  return offset;
}

__device__ inline long long first_index() {
  return blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
}
__device__ inline long long index_step() { return static_cast<long long>(gridDim.x) * blockDim.x; }

}  // namespace atc::cuda
