// Wrappers of wgmma with both operands in shared memory. These wrappers add two things to
// ptx_sm90.cuh: N of 32 and 112, and operands that are transposed in shared memory.
#pragma once

#include <cstdint>

#include "engines/kernels/implicit/geometry.hpp"
#include "engines/kernels/ptx_sm90.cuh"

namespace atc::implicit {

using ptx::OperandType;

// Macros for the text of the instruction wgmma. ATC_NAMES_… are the names of accumulators in the
// text, and ATC_ACCUM… are the operands of the asm statement. They are macros because a function
// can return neither names nor operands.
#define ATC_NAMES_0 "%0, %1, %2, %3, %4, %5, %6, %7"
#define ATC_NAMES_1 "%8, %9, %10, %11, %12, %13, %14, %15"
#define ATC_NAMES_2 "%16, %17, %18, %19, %20, %21, %22, %23"
#define ATC_NAMES_3 "%24, %25, %26, %27, %28, %29, %30, %31"
#define ATC_NAMES_4 "%32, %33, %34, %35, %36, %37, %38, %39"
#define ATC_NAMES_5 "%40, %41, %42, %43, %44, %45, %46, %47"
#define ATC_NAMES_6 "%48, %49, %50, %51, %52, %53, %54, %55"
#define ATC_NAMES_7 "%56, %57, %58, %59, %60, %61, %62, %63"
#define ATC_ACCUM(i)                                                                              \
  "+f"(accum[i]), "+f"(accum[i + 1]), "+f"(accum[i + 2]), "+f"(accum[i + 3]), "+f"(accum[i + 4]), \
      "+f"(accum[i + 5]), "+f"(accum[i + 6]), "+f"(accum[i + 7])
#define ATC_NAMES_OF_32 ATC_NAMES_0 ", " ATC_NAMES_1
#define ATC_ACCUM_OF_32 ATC_ACCUM(0), ATC_ACCUM(8)
#define ATC_NAMES_OF_64 ATC_NAMES_0 ", " ATC_NAMES_1 ", " ATC_NAMES_2 ", " ATC_NAMES_3
#define ATC_ACCUM_OF_64 ATC_ACCUM(0), ATC_ACCUM(8), ATC_ACCUM(16), ATC_ACCUM(24)
#define ATC_NAMES_OF_112                                                                           \
  ATC_NAMES_0 ", " ATC_NAMES_1 ", " ATC_NAMES_2 ", " ATC_NAMES_3 ", " ATC_NAMES_4 ", " ATC_NAMES_5 \
              ", " ATC_NAMES_6
#define ATC_ACCUM_OF_112                                                                  \
  ATC_ACCUM(0), ATC_ACCUM(8), ATC_ACCUM(16), ATC_ACCUM(24), ATC_ACCUM(32), ATC_ACCUM(40), \
      ATC_ACCUM(48)
#define ATC_NAMES_OF_128                                                                           \
  ATC_NAMES_0 ", " ATC_NAMES_1 ", " ATC_NAMES_2 ", " ATC_NAMES_3 ", " ATC_NAMES_4 ", " ATC_NAMES_5 \
              ", " ATC_NAMES_6 ", " ATC_NAMES_7
#define ATC_ACCUM_OF_128                                                                  \
  ATC_ACCUM(0), ATC_ACCUM(8), ATC_ACCUM(16), ATC_ACCUM(24), ATC_ACCUM(32), ATC_ACCUM(40), \
      ATC_ACCUM(48), ATC_ACCUM(56)

// Returns the descriptor of an operand that is transposed in shared memory: M-major for A, N-major
// for B. A chunk is eight channels of one position. The positions (K) of a chunk are contiguous,
// and chunks are `chunk_pitch_bytes` apart, a multiple of 16. To move the operand by n positions,
// add n to the result.
__device__ __forceinline__ std::uint64_t make_transposed_smem_descriptor(unsigned address,
                                                                         int chunk_pitch_bytes) {
  return ptx::make_smem_descriptor(address, static_cast<unsigned>(chunk_pitch_bytes), 8 * kChunk);
}

// accum += A x B^T, by m64nNk16 for operands of 16 bits and by m64nNk8 for TF32. A and B are
// K-major, and K is two chunks of 16 bytes. With kTransposed, accum += A^T x B: A is M-major and B
// is N-major, K is 16 positions, and a chunk is eight channels of a position. `accum` has the
// layout of ptx::wgmma_mma_async_ss in ptx_sm90.cuh.
template <OperandType kOperandType, int kN, bool kTransposed = false>
__device__ __forceinline__ void wgmma_mma_async_ss(float (&accum)[kN / 2], std::uint64_t a,
                                                   std::uint64_t b) {
#define ATC_WGMMA(n, shape, types, layout, a_name, b_name)                                      \
  asm volatile("wgmma.mma_async.sync.aligned.m64n" #n shape ".f32." types " {" ATC_NAMES_OF_##n \
               "}, " a_name ", " b_name ", 1, 1, 1" layout ";"                                  \
               : ATC_ACCUM_OF_##n                                                               \
               : "l"(a), "l"(b))
#define ATC_WGMMA_OF(n, a_name, b_name)                                  \
  if constexpr (kN == n) {                                               \
    if constexpr (kOperandType == OperandType::f16 && kTransposed)       \
      ATC_WGMMA(n, "k16", "f16.f16", ", 1, 1", a_name, b_name);          \
    else if constexpr (kOperandType == OperandType::bf16 && kTransposed) \
      ATC_WGMMA(n, "k16", "bf16.bf16", ", 1, 1", a_name, b_name);        \
    else if constexpr (kOperandType == OperandType::f16)                 \
      ATC_WGMMA(n, "k16", "f16.f16", ", 0, 0", a_name, b_name);          \
    else if constexpr (kOperandType == OperandType::bf16)                \
      ATC_WGMMA(n, "k16", "bf16.bf16", ", 0, 0", a_name, b_name);        \
    else                                                                 \
      ATC_WGMMA(n, "k8", "tf32.tf32", "", a_name, b_name);               \
  }
  static_assert(!kTransposed || kOperandType != OperandType::tf32);
  static_assert(kN == 32 || kN == 64 || kN == 112 || kN == 128);
  ATC_WGMMA_OF(32, "%16", "%17")
  ATC_WGMMA_OF(64, "%32", "%33")
  ATC_WGMMA_OF(112, "%56", "%57")
  ATC_WGMMA_OF(128, "%64", "%65")
#undef ATC_WGMMA_OF
#undef ATC_WGMMA
}

#undef ATC_NAMES_0
#undef ATC_NAMES_1
#undef ATC_NAMES_2
#undef ATC_NAMES_3
#undef ATC_NAMES_4
#undef ATC_NAMES_5
#undef ATC_NAMES_6
#undef ATC_NAMES_7
#undef ATC_ACCUM
#undef ATC_NAMES_OF_32
#undef ATC_ACCUM_OF_32
#undef ATC_NAMES_OF_64
#undef ATC_ACCUM_OF_64
#undef ATC_NAMES_OF_112
#undef ATC_ACCUM_OF_112
#undef ATC_NAMES_OF_128
#undef ATC_ACCUM_OF_128

}  // namespace atc::implicit
