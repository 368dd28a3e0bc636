// Wrappers of PTX instructions of compute capability 9.0a: mbarrier, cp.async.bulk, clusters, named
// barriers, setmaxnreg and wgmma. Each wrapper has the name of its instruction. An address in
// shared memory is a 32-bit number.
#pragma once

#include <cstdint>

#include "engines/kernels/ptx.cuh"

namespace atc::ptx {

// ---- mbarrier: a barrier in shared memory that can also wait for bulk copies ----

__device__ __forceinline__ void mbarrier_init(unsigned barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
__device__ __forceinline__ void fence_mbarrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ __forceinline__ void mbarrier_arrive(unsigned barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
// Waits until the barrier's phase with this parity has ended. The function repeats
// mbarrier.try_wait until then.
__device__ __forceinline__ void mbarrier_try_wait(unsigned barrier, unsigned parity) {
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

// Starts a copy of `bytes` bytes from global into shared memory. `bytes` and both addresses must be
// multiples of 16. The function also calls mbarrier.expect_tx, so the current phase of `barrier`
// does not end before the copy is complete.
__device__ __forceinline__ void cp_async_bulk(unsigned to, const void* from, int bytes,
                                              unsigned barrier) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1], %2, [%3];" ::"r"(to),
      "l"(from), "r"(bytes), "r"(barrier)
      : "memory");
}

// Arrives at the barrier, and makes it also expect bulk copies of `bytes` bytes: the current phase
// does not end before these copies are complete.
__device__ __forceinline__ void mbarrier_arrive_expect_tx(unsigned barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
// Starts a copy of one box (a 3-D part) of a tensor map's tensor into shared memory. The box begins
// at the coordinates x, y, z. `map` is the address of a __grid_constant__ parameter of the kernel.
// Elements of the box outside of the tensor are written as zeros and count as copied: the current
// phase of `barrier` must expect the bytes of the whole box.
__device__ __forceinline__ void cp_async_bulk_tensor_3d(unsigned to, const void* map, int x, int y,
                                                        int z, unsigned barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(to),
      "l"(map), "r"(x), "r"(y), "r"(z), "r"(barrier)
      : "memory");
}
// Copies one box like cp_async_bulk_tensor_3d, but into several blocks of the cluster: bit i of
// `blocks` selects the block of rank i. In each of these blocks the destination is at the offset
// `to` in its shared memory, and the copy is counted at the block's own barrier, at the offset
// `barrier`.
__device__ __forceinline__ void cp_async_bulk_tensor_3d_multicast(unsigned to, const void* map,
                                                                  int x, int y, int z,
                                                                  unsigned barrier,
                                                                  unsigned blocks) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3, %4}], [%5], %6;" ::"r"(to),
      "l"(map), "r"(x), "r"(y), "r"(z), "r"(barrier), "h"(static_cast<unsigned short>(blocks))
      : "memory");
}

// ---- Clusters: blocks that can access the shared memory of each other ----

__device__ __forceinline__ unsigned cluster_ctarank() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
// Waits for all threads of the cluster. After that, the writes that any of these threads made into
// shared memory before this call are visible to all of them.
__device__ __forceinline__ void barrier_cluster() {
  asm volatile(
      "barrier.cluster.arrive.release;\n"
      "barrier.cluster.wait.acquire;" ::
          : "memory");
}
// Arrives at a barrier of another block: the barrier in block `rank` of the cluster that has the
// same offset in shared memory as `barrier` has in this block.
__device__ __forceinline__ void mbarrier_arrive_cluster(unsigned barrier, unsigned rank) {
  asm volatile(
      "{\n"
      ".reg .b32 there;\n"
      "mapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [there];\n"
      "}" ::"r"(barrier),
      "r"(rank)
      : "memory");
}

// Copies `bytes` bytes from global into the shared memory of several blocks of the cluster: bit i
// of `blocks` selects the block of rank i. In each of these blocks the destination is at the offset
// `to`, and the copy is counted at the block's own barrier, at the offset `barrier`. `bytes` and
// both addresses must be multiples of 16.
__device__ __forceinline__ void cp_async_bulk_multicast(unsigned to, const void* from, int bytes,
                                                        unsigned barrier, unsigned blocks) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1], %2, [%3], %4;" ::"r"(to),
      "l"(from), "r"(bytes), "r"(barrier), "h"(static_cast<unsigned short>(blocks))
      : "memory");
}

// Makes the writes that this thread made into shared memory visible to later wgmma instructions and
// bulk copies.
__device__ __forceinline__ void fence_proxy_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// ---- Named barriers: a block has sixteen, with the numbers 0 to 15 ----

// A named barrier opens when `threads` threads have arrived at it. barrier_sync arrives at barrier
// number `barrier` and waits until it opens. barrier_arrive arrives and does not wait. Barrier 0 is
// the barrier of __syncthreads.
__device__ __forceinline__ void barrier_sync(int barrier, int threads) {
  asm volatile("barrier.cta.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
__device__ __forceinline__ void barrier_arrive(int barrier, int threads) {
  asm volatile("barrier.cta.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

// ---- setmaxnreg: the number of registers of each thread of this warpgroup ----

template <int kCount>
__device__ __forceinline__ void setmaxnreg_dec() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kCount));
}
template <int kCount>
__device__ __forceinline__ void setmaxnreg_inc() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kCount));
}

// ---- wgmma ----

// Must be executed before the first wgmma of a sequence: it makes earlier writes to the registers
// of accumulators and of operand A visible to the wgmma instructions.
__device__ __forceinline__ void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void wgmma_commit_group() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
// Waits until all of the warpgroup's groups of wgmma are complete, except for the latest kPending
// ones.
template <int kPending>
__device__ __forceinline__ void wgmma_wait_group() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}

// Returns the descriptor of a wgmma operand in shared memory that is K-major and has no swizzle.
// The operand consists of core matrices: 8 rows of 16 bytes, one row directly after the other. The
// distance from one core matrix to the next is `eight_rows_bytes` along the rows and
// `chunk_pitch_bytes` along K. All arguments must be multiples of 16 below 2^18. To move the
// operand by b bytes, add b / 16 to the result.
__device__ __forceinline__ std::uint64_t make_smem_descriptor(unsigned address,
                                                              unsigned eight_rows_bytes,
                                                              unsigned chunk_pitch_bytes) {
  return static_cast<std::uint64_t>(eight_rows_bytes >> 4) << 32 | chunk_pitch_bytes >> 4 << 16 |
         address >> 4;
}

// Returns the descriptor of a wgmma operand that is K-major with rows of 128 bytes and a swizzle of
// 128 bytes, as the copy engine writes a box of a tensor map. `address` must be a multiple of 1024,
// the size of eight rows. To move the operand by 32 bytes of K, add 2 to the result.
__device__ __forceinline__ std::uint64_t make_swizzled_descriptor(unsigned address) {
  constexpr std::uint64_t kSwizzle128 = std::uint64_t{1} << 62;
  return kSwizzle128 | std::uint64_t{1024 >> 4} << 32 | std::uint64_t{1} << 16 |
         (address & 0x3ffff) >> 4;
}

// The parts of a wgmma instruction's text that depend on the type of the operands. The instruction
// has flags for operands that are transposed in shared memory, but only if the operands have 16
// bits. kMajors has the flags of A and B. If A is in registers, only B has a flag: kMajorOfB. The
// texts are arrays because the constraint "C" of inline assembly takes an array.
template <OperandType kType>
struct WgmmaType;
template <>
struct WgmmaType<OperandType::f16> {
  static constexpr char kText[] = "k16.f32.f16.f16";
  static constexpr char kMajors[] = ", 0, 0", kMajorOfB[] = ", 0";
};
template <>
struct WgmmaType<OperandType::bf16> {
  static constexpr char kText[] = "k16.f32.bf16.bf16";
  static constexpr char kMajors[] = ", 0, 0", kMajorOfB[] = ", 0";
};
template <>
struct WgmmaType<OperandType::tf32> {
  static constexpr char kText[] = "k8.f32.tf32.tf32";
  static constexpr char kMajors[] = "", kMajorOfB[] = "";
};

// The operands of the asm statements (accumulators), and the names of these operands in the text of
// the instructions. They are macros because a function can return neither of them.
#define ATC_ACCUM_8(i)                                                                            \
  "+f"(accum[i]), "+f"(accum[i + 1]), "+f"(accum[i + 2]), "+f"(accum[i + 3]), "+f"(accum[i + 4]), \
      "+f"(accum[i + 5]), "+f"(accum[i + 6]), "+f"(accum[i + 7])
#define ATC_ACCUM_32(i) ATC_ACCUM_8(i), ATC_ACCUM_8(i + 8), ATC_ACCUM_8(i + 16), ATC_ACCUM_8(i + 24)
#define ATC_TEN(tens)                                                                     \
  "%" #tens "0, %" #tens "1, %" #tens "2, %" #tens "3, %" #tens "4, %" #tens "5, %" #tens \
  "6, %" #tens "7, %" #tens "8, %" #tens "9, "
#define ATC_FROM_REGISTERS                                                          \
  "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "C"(WgmmaType<kType>::kText), \
      "C"(WgmmaType<kType>::kMajorOfB)
#define ATC_THIRTY ATC_TEN() ATC_TEN(1) ATC_TEN(2)
#define ATC_SIXTY ATC_THIRTY ATC_TEN(3) ATC_TEN(4) ATC_TEN(5)
#define ATC_NINETY ATC_SIXTY ATC_TEN(6) ATC_TEN(7) ATC_TEN(8)

// accum += A x B^T, by m64nNk16 for operands of 16 bits and by m64nNk8 for TF32. A and B are in
// shared memory and K-major; `a` and `b` are their descriptors. In both cases K is 32 bytes: two
// chunks of 16 bytes. With w = warp of the warpgroup, g = lane / 4 and t = lane % 4, a lane holds
// these accumulators:
//   accum[4 j], [4 j + 1]      row 16 w + g, columns 8 j + 2 t and 8 j + 2 t + 1
//   accum[4 j + 2], [4 j + 3]  row 16 w + g + 8, the same two columns
// Until wgmma_wait_group has returned, `accum` must not be read or written.
template <OperandType kType, int kN>
__device__ __forceinline__ void wgmma_mma_async_ss(float (&accum)[kN / 2], std::uint64_t a,
                                                   std::uint64_t b) {
  static_assert(kN == 64 || kN == 128 || kN == 192 || kN == 256);
  if constexpr (kN == 64)
    asm volatile("wgmma.mma_async.sync.aligned.m64n64%34 {" ATC_THIRTY
                 "%30, %31}, %32, %33, 1, 1, 1%35;"
                 : ATC_ACCUM_32(0)
                 : "l"(a), "l"(b), "C"(WgmmaType<kType>::kText), "C"(WgmmaType<kType>::kMajors));
  else if constexpr (kN == 128)
    asm volatile("wgmma.mma_async.sync.aligned.m64n128%66 {" ATC_SIXTY
                 "%60, %61, %62, %63}, %64, %65, 1, 1, 1%67;"
                 : ATC_ACCUM_32(0), ATC_ACCUM_32(32)
                 : "l"(a), "l"(b), "C"(WgmmaType<kType>::kText), "C"(WgmmaType<kType>::kMajors));
  else if constexpr (kN == 192)
    asm volatile("wgmma.mma_async.sync.aligned.m64n192%98 {" ATC_NINETY
                 "%90, %91, %92, %93, %94, %95}, %96, %97, 1, 1, 1%99;"
                 : ATC_ACCUM_32(0), ATC_ACCUM_32(32), ATC_ACCUM_32(64)
                 : "l"(a), "l"(b), "C"(WgmmaType<kType>::kText), "C"(WgmmaType<kType>::kMajors));
  else
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n256%130 {" ATC_NINETY ATC_TEN(9) ATC_TEN(10)
            ATC_TEN(11) "%120, %121, %122, %123, %124, %125, %126, %127}, %128, %129, 1, 1, 1%131;"
        : ATC_ACCUM_32(0), ATC_ACCUM_32(32), ATC_ACCUM_32(64), ATC_ACCUM_32(96)
        : "l"(a), "l"(b), "C"(WgmmaType<kType>::kText), "C"(WgmmaType<kType>::kMajors));
}

// accum += A x B^T like wgmma_mma_async_ss, but A is in registers. With w = warp of the warpgroup,
// g = lane / 4 and t = lane % 4, a[0] and a[1] are word t of the first chunk of K in the rows 16 w
// + g and 16 w + g + 8. a[2] and a[3] are word t of the second chunk of K in the same rows. Until
// wgmma_wait_group has returned, neither `accum` nor `a` must be read or written.
template <OperandType kType, int kN = 64>
__device__ __forceinline__ void wgmma_mma_async_rs(float (&accum)[kN / 2], const unsigned (&a)[4],
                                                   std::uint64_t b) {
  static_assert(kN == 64 || kN == 128 || kN == 256);
  if constexpr (kN == 64)
    asm volatile("wgmma.mma_async.sync.aligned.m64n64%37 {" ATC_THIRTY
                 "%30, %31}, {%32, %33, %34, %35}, %36, 1, 1, 1%38;"
                 : ATC_ACCUM_32(0)
                 : ATC_FROM_REGISTERS
                 : "memory");
  else if constexpr (kN == 128)
    asm volatile("wgmma.mma_async.sync.aligned.m64n128%69 {" ATC_SIXTY
                 "%60, %61, %62, %63}, {%64, %65, %66, %67}, %68, 1, 1, 1%70;"
                 : ATC_ACCUM_32(0), ATC_ACCUM_32(32)
                 : ATC_FROM_REGISTERS
                 : "memory");
  else
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n256%133 {" ATC_NINETY ATC_TEN(9) ATC_TEN(10) ATC_TEN(
            11) "%120, %121, %122, %123, %124, %125, %126, %127}, {%128, %129, %130, %131}, %132, "
                "1, 1, 1%134;"
        : ATC_ACCUM_32(0), ATC_ACCUM_32(32), ATC_ACCUM_32(64), ATC_ACCUM_32(96)
        : ATC_FROM_REGISTERS
        : "memory");
}

#undef ATC_FROM_REGISTERS
#undef ATC_NINETY
#undef ATC_SIXTY
#undef ATC_THIRTY
#undef ATC_TEN
#undef ATC_ACCUM_32
#undef ATC_ACCUM_8

}  // namespace atc::ptx
