// Instructions of compute capability 9.0a: barriers in shared memory that copies complete
// (mbarrier), a register count for each warpgroup (setmaxnreg), and products of a warpgroup
// (wgmma). Addresses in shared memory are 32-bit numbers.
#pragma once

#include <cstdint>

#include "engines/kernels/ptx.cuh"

namespace atc::ptx {

__device__ __forceinline__ void barrier_init(unsigned barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
__device__ __forceinline__ void barrier_arrive(unsigned barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
// Waits until the phase of this parity has ended.
__device__ __forceinline__ void barrier_wait(unsigned barrier, unsigned parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra.uni through;\n"
      "bra.uni again;\n"
      "through:\n"
      "}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

// Copies `bytes` (a multiple of 16, as both addresses are); the barrier's phase waits for them.
__device__ __forceinline__ void copy_bulk(unsigned to, const void* from, int bytes,
                                          unsigned barrier) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1], %2, [%3];" ::"r"(to),
      "l"(from), "r"(bytes), "r"(barrier)
      : "memory");
}

// Makes what this thread has written into shared memory visible to products and bulk copies.
__device__ __forceinline__ void fence_shared_for_products() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ __forceinline__ void fence_barrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// One of sixteen named barriers. It opens when `threads` threads have arrived. meet() waits for
// that, arrive() does not. Barrier 0 is the one of __syncthreads.
__device__ __forceinline__ void meet(int barrier, int threads) {
  asm volatile("barrier.cta.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
__device__ __forceinline__ void arrive(int barrier, int threads) {
  asm volatile("barrier.cta.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

// Sets the number of registers of each thread of this warpgroup (setmaxnreg): fewer, or more, than
// before.
template <int kCount>
__device__ __forceinline__ void give_up_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kCount));
}
template <int kCount>
__device__ __forceinline__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kCount));
}

// Makes registers written before visible to the products that begin after.
__device__ __forceinline__ void begin_products() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void end_products() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
// Waits until at most `kPending` of the latest groups of products are not done.
template <int kPending>
__device__ __forceinline__ void wait_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}

// The descriptor of an operand in shared memory. Each row of the operand has chunks of sixteen
// bytes. The chunks of eight rows follow one another. The chunks of the next eight rows begin
// `eight_pitch` bytes later, and the next chunks in the K dimension begin `chunk_pitch` bytes
// later. All arguments are multiples of 16 below 2^18. Adding bytes / 16 to the result moves the
// operand.
__device__ __forceinline__ std::uint64_t factor_in_shared(unsigned address, unsigned eight_pitch,
                                                          unsigned chunk_pitch) {
  return static_cast<std::uint64_t>(eight_pitch >> 4) << 32 | chunk_pitch >> 4 << 16 | address >> 4;
}

// The last part of an instruction's type. An array, as the constraint "C" takes it.
template <Factors kFactors>
struct ProductType;
template <>
struct ProductType<Factors::f16> {
  static constexpr char kText[] = "k16.f32.f16.f16";
};
template <>
struct ProductType<Factors::bf16> {
  static constexpr char kText[] = "k16.f32.bf16.bf16";
};
template <>
struct ProductType<Factors::tf32> {
  static constexpr char kText[] = "k8.f32.tf32.tf32";
};

// Macros, because no function can stand for a list of operands or for places in a literal.
#define ATC_SUMS_8(i)                                                                       \
  "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3]), "+f"(sums[i + 4]), \
      "+f"(sums[i + 5]), "+f"(sums[i + 6]), "+f"(sums[i + 7])
#define ATC_SUMS_32(i) ATC_SUMS_8(i), ATC_SUMS_8(i + 8), ATC_SUMS_8(i + 16), ATC_SUMS_8(i + 24)
#define ATC_TEN(tens)                                                                       \
  "%" #tens "0, %" #tens "1, %" #tens "2, %" #tens "3, %" #tens "4, %" #tens "5, %" #tens   \
  "6, %" #tens "7, %" #tens "8, %" #tens "9, "
#define ATC_SIXTY ATC_TEN() ATC_TEN(1) ATC_TEN(2) ATC_TEN(3) ATC_TEN(4) ATC_TEN(5)

// sums += a x b^T, of 64 rows of a, kColumns rows of b and a depth of two chunks of sixteen bytes,
// 16 half-width factors. With g = lane / 4 and t = lane % 4, a warp of the warpgroup has sixteen
// rows: sums[4 j] and sums[4 j + 1] are row g, columns 8 j + 2 t and 8 j + 2 t + 1; sums[4 j + 2]
// and sums[4 j + 3] are those columns of row g + 8. Until wait_products, `sums` may not be touched.
template <Factors kFactors, int kColumns>
__device__ __forceinline__ void multiply_add(float (&sums)[kColumns / 2], std::uint64_t a,
                                             std::uint64_t b) {
  static_assert(kColumns == 64 || kColumns == 128 || kColumns == 192 || kColumns == 256);
  static_assert(kFactors != Factors::tf32);
  if constexpr (kColumns == 64)
    asm volatile("wgmma.mma_async.sync.aligned.m64n64%34 {" ATC_TEN() ATC_TEN(1) ATC_TEN(2)
                 "%30, %31}, %32, %33, 1, 1, 1, 0, 0;"
                 : ATC_SUMS_32(0)
                 : "l"(a), "l"(b), "C"(ProductType<kFactors>::kText));
  else if constexpr (kColumns == 128)
    asm volatile("wgmma.mma_async.sync.aligned.m64n128%66 {" ATC_SIXTY
                 "%60, %61, %62, %63}, %64, %65, 1, 1, 1, 0, 0;"
                 : ATC_SUMS_32(0), ATC_SUMS_32(32)
                 : "l"(a), "l"(b), "C"(ProductType<kFactors>::kText));
  else if constexpr (kColumns == 192)
    asm volatile("wgmma.mma_async.sync.aligned.m64n192%98 {" ATC_SIXTY ATC_TEN(6) ATC_TEN(7)
                 ATC_TEN(8) "%90, %91, %92, %93, %94, %95}, %96, %97, 1, 1, 1, 0, 0;"
                 : ATC_SUMS_32(0), ATC_SUMS_32(32), ATC_SUMS_32(64)
                 : "l"(a), "l"(b), "C"(ProductType<kFactors>::kText));
  else
    asm volatile("wgmma.mma_async.sync.aligned.m64n256%130 {" ATC_SIXTY ATC_TEN(6) ATC_TEN(7)
                 ATC_TEN(8) ATC_TEN(9) ATC_TEN(10) ATC_TEN(11)
                 "%120, %121, %122, %123, %124, %125, %126, %127}, %128, %129, 1, 1, 1, 0, 0;"
                 : ATC_SUMS_32(0), ATC_SUMS_32(32), ATC_SUMS_32(64), ATC_SUMS_32(96)
                 : "l"(a), "l"(b), "C"(ProductType<kFactors>::kText));
}

// The same of 64 columns with the first factor in registers: a[0] and a[1] are word t of the first
// chunk in rows g and g + 8, a[2] and a[3] of the second. Until wait_products, `a` may not be
// touched either.
template <Factors kFactors>
__device__ __forceinline__ void multiply_add_64(float (&sums)[32], const unsigned (&a)[4],
                                                std::uint64_t b) {
  // Only factors of halves may be transposed, and only their products have an operand that says so.
  if constexpr (kFactors == Factors::tf32)
    asm volatile("wgmma.mma_async.sync.aligned.m64n64%37 {" ATC_TEN() ATC_TEN(1) ATC_TEN(2)
                 "%30, %31}, {%32, %33, %34, %35}, %36, 1, 1, 1;"
                 : ATC_SUMS_32(0)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b),
                   "C"(ProductType<kFactors>::kText)
                 : "memory");
  else
    asm volatile("wgmma.mma_async.sync.aligned.m64n64%37 {" ATC_TEN() ATC_TEN(1) ATC_TEN(2)
                 "%30, %31}, {%32, %33, %34, %35}, %36, 1, 1, 1, 0;"
                 : ATC_SUMS_32(0)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b),
                   "C"(ProductType<kFactors>::kText)
                 : "memory");
}

#undef ATC_SIXTY
#undef ATC_TEN
#undef ATC_SUMS_32
#undef ATC_SUMS_8

}  // namespace atc::ptx
