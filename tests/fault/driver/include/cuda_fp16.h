// Defines CUDA's f16 type for kernels that are compiled for the host.
#pragma once

#include "core/half.hpp"

struct __half {
  std::uint16_t bits;
};

inline float __half2float(__half value) { return atc::f16_to_float(value.bits); }
inline __half __float2half(float value) { return {atc::f16_from_double(value)}; }
inline __half __double2half(double value) { return {atc::f16_from_double(value)}; }
