// Products of a warpgroup, of compute capability 9.0a.
#pragma once

#include <cstdint>

#include "engines/kernels/dense/warpgroup.cuh"
#include "engines/kernels/ptx.cuh"

namespace atc::implicit {

using ptx::Factors;

// Names and operands of eight sums each.
#define ATC_NAMES_0 "%0, %1, %2, %3, %4, %5, %6, %7"
#define ATC_NAMES_1 "%8, %9, %10, %11, %12, %13, %14, %15"
#define ATC_NAMES_2 "%16, %17, %18, %19, %20, %21, %22, %23"
#define ATC_NAMES_3 "%24, %25, %26, %27, %28, %29, %30, %31"
#define ATC_NAMES_4 "%32, %33, %34, %35, %36, %37, %38, %39"
#define ATC_NAMES_5 "%40, %41, %42, %43, %44, %45, %46, %47"
#define ATC_NAMES_6 "%48, %49, %50, %51, %52, %53, %54, %55"
#define ATC_NAMES_7 "%56, %57, %58, %59, %60, %61, %62, %63"
#define ATC_SUMS(i)                                                                          \
  "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3]), "+f"(sums[i + 4]), \
      "+f"(sums[i + 5]), "+f"(sums[i + 6]), "+f"(sums[i + 7])
#define ATC_NAMES_OF_32 ATC_NAMES_0 ", " ATC_NAMES_1
#define ATC_SUMS_OF_32 ATC_SUMS(0), ATC_SUMS(8)
#define ATC_NAMES_OF_64 ATC_NAMES_0 ", " ATC_NAMES_1 ", " ATC_NAMES_2 ", " ATC_NAMES_3
#define ATC_SUMS_OF_64 ATC_SUMS(0), ATC_SUMS(8), ATC_SUMS(16), ATC_SUMS(24)
#define ATC_NAMES_OF_112                                                                           \
  ATC_NAMES_0 ", " ATC_NAMES_1 ", " ATC_NAMES_2 ", " ATC_NAMES_3 ", " ATC_NAMES_4 ", " ATC_NAMES_5 \
              ", " ATC_NAMES_6
#define ATC_SUMS_OF_112 \
  ATC_SUMS(0), ATC_SUMS(8), ATC_SUMS(16), ATC_SUMS(24), ATC_SUMS(32), ATC_SUMS(40), ATC_SUMS(48)
#define ATC_NAMES_OF_128                                                                           \
  ATC_NAMES_0 ", " ATC_NAMES_1 ", " ATC_NAMES_2 ", " ATC_NAMES_3 ", " ATC_NAMES_4 ", " ATC_NAMES_5 \
              ", " ATC_NAMES_6 ", " ATC_NAMES_7
#define ATC_SUMS_OF_128                                                                           \
  ATC_SUMS(0), ATC_SUMS(8), ATC_SUMS(16), ATC_SUMS(24), ATC_SUMS(32), ATC_SUMS(40), ATC_SUMS(48), \
      ATC_SUMS(56)

// The descriptor of a matrix for kTurned: chunks of eight rows are `chunk_pitch` bytes (a multiple
// of 16) apart, and the positions of a chunk are one after the other. Adding n to the result moves
// the matrix by n positions.
__device__ __forceinline__ std::uint64_t turned_matrix_at(unsigned address, int chunk_pitch) {
  return ptx::factor_in_shared(address, static_cast<unsigned>(chunk_pitch), 8 * 16);
}

// sums += a x b^T of 64 rows of a, kColumns rows of b and a depth of two chunks. If kTurned,
// sums += a^T x b, of chunks of eight rows of 16 bits and a depth of sixteen positions. Thread
// 32 w + 4 g + t of the warpgroup holds columns 8 j + 2 t and 8 j + 2 t + 1 of row 16 w + g in
// sums[4 j] and sums[4 j + 1], and of row 16 w + g + 8 in the next two.
template <Factors kFactors, int kColumns, bool kTurned = false>
__device__ __forceinline__ void multiply_add(float (&sums)[kColumns / 2], std::uint64_t a,
                                             std::uint64_t b) {
#define ATC_MULTIPLY(columns, shape, types, layout, first, second)                        \
  asm volatile("wgmma.mma_async.sync.aligned.m64n" #columns shape ".f32." types           \
               " {" ATC_NAMES_OF_##columns "}, " first ", " second ", 1, 1, 1" layout ";" \
               : ATC_SUMS_OF_##columns                                                    \
               : "l"(a), "l"(b))
#define ATC_MULTIPLY_OF(columns, first, second)                           \
  if constexpr (kColumns == columns) {                                    \
    if constexpr (kFactors == Factors::f16 && kTurned)                    \
      ATC_MULTIPLY(columns, "k16", "f16.f16", ", 1, 1", first, second);   \
    else if constexpr (kFactors == Factors::bf16 && kTurned)              \
      ATC_MULTIPLY(columns, "k16", "bf16.bf16", ", 1, 1", first, second); \
    else if constexpr (kFactors == Factors::f16)                          \
      ATC_MULTIPLY(columns, "k16", "f16.f16", ", 0, 0", first, second);   \
    else if constexpr (kFactors == Factors::bf16)                         \
      ATC_MULTIPLY(columns, "k16", "bf16.bf16", ", 0, 0", first, second); \
    else                                                                  \
      ATC_MULTIPLY(columns, "k8", "tf32.tf32", "", first, second);        \
  }
  static_assert(!kTurned || kFactors != Factors::tf32);
  static_assert(kColumns == 32 || kColumns == 64 || kColumns == 112 || kColumns == 128);
  ATC_MULTIPLY_OF(32, "%16", "%17")
  ATC_MULTIPLY_OF(64, "%32", "%33")
  ATC_MULTIPLY_OF(112, "%56", "%57")
  ATC_MULTIPLY_OF(128, "%64", "%65")
#undef ATC_MULTIPLY_OF
#undef ATC_MULTIPLY
}

#undef ATC_NAMES_0
#undef ATC_NAMES_1
#undef ATC_NAMES_2
#undef ATC_NAMES_3
#undef ATC_NAMES_4
#undef ATC_NAMES_5
#undef ATC_NAMES_6
#undef ATC_NAMES_7
#undef ATC_SUMS
#undef ATC_NAMES_OF_32
#undef ATC_SUMS_OF_32
#undef ATC_NAMES_OF_64
#undef ATC_SUMS_OF_64
#undef ATC_NAMES_OF_112
#undef ATC_SUMS_OF_112
#undef ATC_NAMES_OF_128
#undef ATC_SUMS_OF_128

}  // namespace atc::implicit
