// Defines CUDA's bf16 type for kernels that are compiled for the host.
#pragma once

#include "core/half.hpp"

struct __nv_bfloat16 {
  std::uint16_t bits;
};

inline float __bfloat162float(__nv_bfloat16 value) { return atc::bf16_to_float(value.bits); }
inline __nv_bfloat16 __float2bfloat16(float value) { return {atc::bf16_from_double(value)}; }
inline __nv_bfloat16 __double2bfloat16(double value) { return {atc::bf16_from_double(value)}; }
