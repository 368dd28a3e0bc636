// Converts elements to fp32 and back. A number that is converted back is rounded to nearest even.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace atc::cuda {

__device__ inline float to_float(float value) { return value; }
__device__ inline float to_float(__half value) { return __half2float(value); }
__device__ inline float to_float(__nv_bfloat16 value) { return __bfloat162float(value); }
__device__ inline void from_float(float value, float& to) { to = value; }
__device__ inline void from_float(float value, __half& to) { to = __float2half(value); }
__device__ inline void from_float(float value, __nv_bfloat16& to) { to = __float2bfloat16(value); }

}  // namespace atc::cuda
