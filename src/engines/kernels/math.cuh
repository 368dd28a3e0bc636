// The types of elements and operands of atc's own kernels.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "device/cuda/kernels/float.cuh"
#include "engines/kernels/ptx.cuh"

namespace atc::kernels {

// Runs `body`. Below compute capability 8.0, which lacks the kernels' instructions, this compiles
// to nothing; engines offer nothing there.
template <typename Body>
__device__ __forceinline__ void enable_sm80_or_later(const Body& body) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  constexpr bool kPossible = sizeof(Body) == 0;
#else
  constexpr bool kPossible = true;
#endif
  if constexpr (kPossible) body();
}

// The type of operands A and B. Accumulators are fp32. All types except `fp32` use tensor cores.
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

// Returns an element as an operand of mma. If the arithmetic is TF32, the element is rounded to
// TF32.
template <Math kMath>
__device__ inline Element<kMath> as_operand(Element<kMath> value) {
  if constexpr (kMath == Math::tf32)
    return __uint_as_float(ptx::cvt_rna_tf32(value));
  else
    return value;
}

}  // namespace atc::kernels
