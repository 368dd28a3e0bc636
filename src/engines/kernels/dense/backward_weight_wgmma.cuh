// Products by warpgroups, of compute capability 9.0a: one factor in registers, the other in shared
// memory; and what orders them among other accesses.
#pragma once

#include <cstdint>

#include "engines/kernels/ptx.cuh"

namespace atc::ptx {

// Two bytes, aligned to that.
__device__ __forceinline__ void store_shared_2(unsigned to, unsigned value) {
  asm volatile("st.shared.u16 [%0], %1;" ::"r"(to), "h"(static_cast<unsigned short>(value))
               : "memory");
}

// What this thread has written into shared memory is there for products and bulk copies too.
__device__ __forceinline__ void fence_shared_for_products() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// One of sixteen barriers, at which `threads` threads come together; those that arrive do not wait.
__device__ __forceinline__ void meet(int barrier, int threads) {
  asm volatile("barrier.cta.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
__device__ __forceinline__ void arrive(int barrier, int threads) {
  asm volatile("barrier.cta.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

// A warpgroup's registers of each thread from now on: fewer or more than the kernel began with.
template <int kCount>
__device__ __forceinline__ void give_up_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kCount));
}
template <int kCount>
__device__ __forceinline__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kCount));
}

// Registers written before are there for the products that begin after.
__device__ __forceinline__ void begin_products() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void end_products() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
// Until at most `kPending` of the latest groups of products are under way.
template <int kPending>
__device__ __forceinline__ void wait_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}

// The second factor in shared memory: eights of columns, each a 16-byte chunk for each column one
// after the other, `column_pitch` bytes apart; `chunk_pitch` bytes from a chunk to the next in the
// sum's direction. Everything is a multiple of 16 below 2^18. Adding bytes / 16 moves it.
__device__ __forceinline__ std::uint64_t factor_in_shared(unsigned address, unsigned column_pitch,
                                                          unsigned chunk_pitch) {
  return static_cast<std::uint64_t>(column_pitch >> 4) << 32 | chunk_pitch >> 4 << 16 |
         address >> 4;
}

// sums += a x b, of 64 rows, 64 columns and a depth of two chunks of sixteen bytes. With g = lane /
// 4 and t = lane % 4, a warp of the warpgroup has sixteen rows: a[0] and a[1] are word t of the
// first chunk in rows g and g + 8, a[2] and a[3] of the second; sums[4 j] and the next row g,
// columns 8 j + 2 t and the next, sums[4 j + 2] and the next row g + 8. Until wait_products,
// neither `sums` nor `a` may be touched.
#define ATC_PRODUCT(shape_and_types, transposed)                                                  \
  asm volatile(                                                                                   \
      "wgmma.mma_async.sync.aligned." shape_and_types                                             \
      " {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, "   \
      "%19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, {%32, %33, %34, %35}, "  \
      "%36, 1, 1, 1" transposed ";"                                                               \
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3]), "+f"(sums[4]), "+f"(sums[5]), \
        "+f"(sums[6]), "+f"(sums[7]), "+f"(sums[8]), "+f"(sums[9]), "+f"(sums[10]),               \
        "+f"(sums[11]), "+f"(sums[12]), "+f"(sums[13]), "+f"(sums[14]), "+f"(sums[15]),           \
        "+f"(sums[16]), "+f"(sums[17]), "+f"(sums[18]), "+f"(sums[19]), "+f"(sums[20]),           \
        "+f"(sums[21]), "+f"(sums[22]), "+f"(sums[23]), "+f"(sums[24]), "+f"(sums[25]),           \
        "+f"(sums[26]), "+f"(sums[27]), "+f"(sums[28]), "+f"(sums[29]), "+f"(sums[30]),           \
        "+f"(sums[31])                                                                            \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b)                                        \
      : "memory")

template <Factors kFactors>
__device__ __forceinline__ void multiply_add_64(float (&sums)[32], const unsigned (&a)[4],
                                                std::uint64_t b) {
  if constexpr (kFactors == Factors::f16)
    ATC_PRODUCT("m64n64k16.f32.f16.f16", ", 0");
  else if constexpr (kFactors == Factors::bf16)
    ATC_PRODUCT("m64n64k16.f32.bf16.bf16", ", 0");
  else
    ATC_PRODUCT("m64n64k8.f32.tf32.tf32", "");
}

#undef ATC_PRODUCT

}  // namespace atc::ptx
