// The types of elements and operands of atc's own kernels.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "device/cuda/kernels/float.cuh"
#include "engines/kernels/ptx.cuh"

namespace atc::kernels {

// Runs `body`. Device code for compute capabilities below 8.0 lacks the instructions of the
// kernels, so there `body` is not compiled and the kernel does nothing. Engines offer no kernel on
// such a device.
template <typename Body>
__device__ __forceinline__ void enable_sm80_or_later(const Body& body) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  constexpr bool kPossible = sizeof(Body) == 0;
#else
  constexpr bool kPossible = true;
#endif
  if constexpr (kPossible) body();
}

// How operands A and B are multiplied. Accumulators are always fp32. f16, bf16 and tf32 use tensor
// cores; fp32 uses FFMA.
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
constexpr ptx::OperandType kOperandType = kMath == Math::f16    ? ptx::OperandType::f16
                                          : kMath == Math::bf16 ? ptx::OperandType::bf16
                                                                : ptx::OperandType::tf32;

// Returns `value` as an operand of an mma. With Math::tf32 the value is rounded to TF32; otherwise
// it does not change.
template <Math kMath>
__device__ inline Element<kMath> as_operand(Element<kMath> value) {
  if constexpr (kMath == Math::tf32)
    return __uint_as_float(ptx::cvt_rna_tf32(value));
  else
    return value;
}

}  // namespace atc::kernels
