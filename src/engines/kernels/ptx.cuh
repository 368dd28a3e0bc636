// Wrappers of the PTX instructions cp.async, ldmatrix and mma.sync, which exist from compute
// capability 8.0 on. Each wrapper has the name of its instruction. The PTX manual describes the
// instructions. An address in shared memory is a 32-bit number (shared_address). The instructions
// of compute capability 9.0a are in ptx_sm90.cuh.
#pragma once

#include <cstdint>

namespace atc::ptx {

// Returns the address of the block's dynamic shared memory. It is aligned to 1024 bytes.
__device__ __forceinline__ unsigned char* dynamic_shared() {
  // The memory is aligned to 1024 bytes, because TMA may copy boxes with a swizzle of 128 bytes
  // into it.
  extern __shared__ __align__(1024) unsigned char bytes[];
  return bytes;
}

// The type of the operands A and B of an mma. Accumulators are fp32.
enum class OperandType { f16, bf16, tf32 };

// Returns the address of `pointer`, which points into shared memory, as the 32-bit number that the
// instructions take.
__device__ __forceinline__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// Returns pointer + bytes. The addition is written in assembly to keep the compiler from replacing
// a chain of additions by one multiplication for each address, which would be slower.
__device__ __forceinline__ const unsigned char* advance(const unsigned char* pointer,
                                                        long long bytes) {
  asm("add.s64 %0, %0, %1;" : "+l"(pointer) : "l"(bytes));
  return pointer;
}

// ---- cp.async: asynchronous copies from global into shared memory ----

// Copies 16 bytes and bypasses the L1 cache (.cg). Both addresses must be multiples of 16. If
// `valid` is false, the destination is filled with zeros and `from` is not read.
__device__ __forceinline__ void cp_async_cg_16(unsigned to, const void* from, bool valid) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
               "r"(valid ? 16 : 0)
               : "memory");
}
// Copies the first `bytes` bytes (0 to 16) and fills the rest of the 16 bytes with zeros. Bypasses
// the L1 cache. Both addresses must be multiples of 16.
__device__ __forceinline__ void cp_async_cg_zfill(unsigned to, const void* from, int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes)
               : "memory");
}
// Copies 4, 8 or 16 bytes through the L1 cache (.ca). Both addresses must be multiples of kBytes.
// If `valid` is false, the destination is filled with zeros and `from` is not read.
template <int kBytes>
__device__ __forceinline__ void cp_async_ca(unsigned to, const void* from, bool valid) {
  static_assert(kBytes == 4 || kBytes == 8 || kBytes == 16);
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(kBytes),
               "r"(valid ? kBytes : 0)
               : "memory");
}
// Copies 4, 8 or 16 bytes. A copy of 16 bytes bypasses the L1 cache (.cg). A smaller copy goes
// through the L1 cache (.ca), because .cg exists only for 16 bytes.
template <int kBytes>
__device__ __forceinline__ void cp_async(unsigned to, const void* from, bool valid) {
  if constexpr (kBytes == 16)
    cp_async_cg_16(to, from, valid);
  else
    cp_async_ca<kBytes>(to, from, valid);
}
__device__ __forceinline__ void cp_async_commit_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
// Waits until all of this thread's groups of copies are complete, except for the latest kPending
// ones.
template <int kPending>
__device__ __forceinline__ void cp_async_wait_group() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

// ---- Loads and stores of shared memory: ld.shared, st.shared, ldmatrix ----

// Loads 16 bytes. The address must be a multiple of 16.
__device__ __forceinline__ float4 ld_shared_v4(unsigned address) {
  float4 values;
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(values.x), "=f"(values.y), "=f"(values.z), "=f"(values.w)
               : "r"(address)
               : "memory");
  return values;
}

// Stores the lower 2 bytes of `value`. The address must be a multiple of 2.
__device__ __forceinline__ void st_shared_u16(unsigned to, unsigned value) {
  asm volatile("st.shared.u16 [%0], %1;" ::"r"(to), "h"(static_cast<unsigned short>(value))
               : "memory");
}

// Loads four 8 x 8 matrices of 16-bit elements. Each lane passes the address of a row of 16 bytes:
// lanes 8 i to 8 i + 7 pass the rows of matrix i. Then words[i] of lane l is the 32-bit word l % 4
// of row l / 4 of matrix i.
__device__ __forceinline__ void ldmatrix_x4(unsigned (&words)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(address)
               : "memory");
}
// Loads four 8 x 8 matrices like ldmatrix_x4, but transposed: words[i] of lane l has the elements
// of rows 2 (l % 4) and 2 (l % 4) + 1 in column l / 4 of matrix i.
__device__ __forceinline__ void ldmatrix_x4_trans(unsigned (&words)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(address)
               : "memory");
}

// ---- mma.sync ----

// accum += A x B, by m16n8k16 for operands of 16 bits and by m16n8k8 for TF32. In both cases K is
// 32 bytes: two chunks of 16 bytes. A lane holds these fragments, with g = lane / 4 and t = lane %
// 4 (a word has 32 bits):
//   a[0], a[1]            A (16 x K): word t of the first chunk of row g, and of row g + 8
//   a[2], a[3]            A (16 x K): word t of the second chunk of row g, and of row g + 8
//   b0, b1                B (K x 8): word t of the first and of the second chunk of column g
//   accum[0], accum[1]    accumulator (16 x 8): row g, columns 2 t and 2 t + 1
//   accum[2], accum[3]    accumulator (16 x 8): row g + 8, columns 2 t and 2 t + 1
template <OperandType kType>
__device__ __forceinline__ void mma_sync_m16n8(float (&accum)[4], const unsigned (&a)[4],
                                               unsigned b0, unsigned b1) {
  if constexpr (kType == OperandType::f16)
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(accum[0]), "+f"(accum[1]), "+f"(accum[2]), "+f"(accum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  else if constexpr (kType == OperandType::bf16)
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(accum[0]), "+f"(accum[1]), "+f"(accum[2]), "+f"(accum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  else
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(accum[0]), "+f"(accum[1]), "+f"(accum[2]), "+f"(accum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
// accum += A x B like mma_sync_m16n8, but K is one chunk of 16 bytes: m16n8k8 for operands of 16
// bits and m16n8k4 for TF32. a[2] and a[3] are not read.
template <OperandType kType>
__device__ __forceinline__ void mma_sync_m16n8_half_k(float (&accum)[4], const unsigned (&a)[4],
                                                      unsigned b0) {
  if constexpr (kType == OperandType::f16)
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
        "{%0, %1, %2, %3};"
        : "+f"(accum[0]), "+f"(accum[1]), "+f"(accum[2]), "+f"(accum[3])
        : "r"(a[0]), "r"(a[1]), "r"(b0));
  else if constexpr (kType == OperandType::bf16)
    asm("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
        "{%0, %1, %2, %3};"
        : "+f"(accum[0]), "+f"(accum[1]), "+f"(accum[2]), "+f"(accum[3])
        : "r"(a[0]), "r"(a[1]), "r"(b0));
  else
    asm("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
        "{%0, %1, %2, %3};"
        : "+f"(accum[0]), "+f"(accum[1]), "+f"(accum[2]), "+f"(accum[3])
        : "r"(a[0]), "r"(a[1]), "r"(b0));
}

// ---- cvt ----

// Returns the TF32 number that is nearest to `value`, as the bits of an fp32 number. A tie is
// rounded away from zero. NaN and Inf do not change.
__device__ __forceinline__ unsigned cvt_rna_tf32(float value) {
  unsigned bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
  return bits;
}

}  // namespace atc::ptx
