// The arithmetic of atc's own kernels: types of elements, and of operands of tensor cores.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "device/cuda/kernels/float.cuh"
#include "engines/kernels/ptx.cuh"

namespace atc::kernels {

// Runs `body`; compiles to nothing below compute capability 8.0, which lacks the kernels'
// instructions. The engines offer nothing there.
template <typename Body>
__device__ __forceinline__ void where_possible(const Body& body) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  constexpr bool kPossible = sizeof(Body) == 0;
#else
  constexpr bool kPossible = true;
#endif
  if constexpr (kPossible) body();
}

// The arithmetic of products. Accumulators are fp32. All but `fp32` run on tensor cores.
enum class Math { f16, bf16, tf32, fp32 };

template <Math kMath>
struct ElementOf {
  using Type = float;
};
template <>
struct ElementOf<Math::f16> {
  using Type = __half;
};
template <>
struct ElementOf<Math::bf16> {
  using Type = __nv_bfloat16;
};
template <Math kMath>
using Element = typename ElementOf<kMath>::Type;

template <Math kMath>
constexpr ptx::Factors kFactors = kMath == Math::f16    ? ptx::Factors::f16
                                  : kMath == Math::bf16 ? ptx::Factors::bf16
                                                        : ptx::Factors::tf32;

// An element as a factor of a product.
template <Math kMath>
__device__ inline Element<kMath> as_factor(Element<kMath> value) {
  if constexpr (kMath == Math::tf32)
    return __uint_as_float(ptx::to_tf32(value));
  else
    return value;
}

}  // namespace atc::kernels
