// Wrappers of PTX instructions from compute capability 8.0 on: cp.async, ldmatrix, mma.sync. Each
// wrapper has the name of its instruction; the PTX manual describes the instruction itself.
// Addresses in shared memory are 32-bit numbers (shared_address). ptx_sm90.cuh has the instructions
// of 9.0a.
#pragma once

#include <cstdint>

namespace atc::ptx {

// The dynamic shared memory of the block.
__device__ __forceinline__ unsigned char* dynamic_shared() {
  extern __shared__ __align__(1024) unsigned char bytes[];  // as swizzled boxes need
  return bytes;
}

// The type of the operands A and B of an mma. Accumulators are fp32.
enum class OperandType { f16, bf16, tf32 };

// A pointer into shared memory as the 32-bit address that the instructions take.
__device__ __forceinline__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// Returns pointer + bytes. It is written in assembly, so that the compiler steps from address to
// address. Otherwise it would compute each address by a multiplication, which is slower.
__device__ __forceinline__ const unsigned char* advance(const unsigned char* pointer,
                                                        long long bytes) {
  asm("add.s64 %0, %0, %1;" : "+l"(pointer) : "l"(bytes));
  return pointer;
}

// ---- cp.async: copies from global into shared memory that continue in the background ----

// Copies 16 bytes past the L1 cache (.cg). Both addresses are multiples of 16. If `valid` is false,
// writes zeros and reads nothing.
__device__ __forceinline__ void cp_async_cg_16(unsigned to, const void* from, bool valid) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
               "r"(valid ? 16 : 0)
               : "memory");
}
// Like cp_async_cg_16, but reads only the first `bytes` (0 to 16). The rest is filled with zeros.
__device__ __forceinline__ void cp_async_cg_zfill(unsigned to, const void* from, int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes)
               : "memory");
}
// Copies 4, 8 or 16 bytes by way of the L1 cache (.ca). Both addresses are multiples of kBytes.
template <int kBytes>
__device__ __forceinline__ void cp_async_ca(unsigned to, const void* from, bool valid) {
  static_assert(kBytes == 4 || kBytes == 8 || kBytes == 16);
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(kBytes),
               "r"(valid ? kBytes : 0)
               : "memory");
}
// Copies 4, 8 or 16 bytes. 16 bytes bypass the L1 cache (.cg); fewer bytes have only the form .ca,
// which goes through it.
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
// Waits until at most kPending of this thread's latest groups are incomplete.
template <int kPending>
__device__ __forceinline__ void cp_async_wait_group() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

// ---- ld.shared, st.shared, ldmatrix ----

// Loads 16 bytes. The address is a multiple of 16.
__device__ __forceinline__ float4 ld_shared_v4(unsigned address) {
  float4 values;
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(values.x), "=f"(values.y), "=f"(values.z), "=f"(values.w)
               : "r"(address)
               : "memory");
  return values;
}

// Stores 2 bytes. The address is a multiple of 2.
__device__ __forceinline__ void st_shared_u16(unsigned to, unsigned value) {
  asm volatile("st.shared.u16 [%0], %1;" ::"r"(to), "h"(static_cast<unsigned short>(value))
               : "memory");
}

// Loads four 8 x 8 matrices of 16-bit elements. Each lane gives the address of a row of 16 bytes:
// lanes 8 i to 8 i + 7 give the rows of matrix i. Lane l receives word l % 4 of row l / 4 of each
// matrix.
__device__ __forceinline__ void ldmatrix_x4(unsigned (&words)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(address)
               : "memory");
}
// Like ldmatrix_x4, but transposed: lane l receives rows 2 (l % 4) and 2 (l % 4) + 1 of column l /
// 4 of each matrix.
__device__ __forceinline__ void ldmatrix_x4_trans(unsigned (&words)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(address)
               : "memory");
}

// ---- mma.sync ----

// accum += A x B: m16n8k16 for operands of 16 bits, m16n8k8 for TF32. K is 32 bytes in either case:
// two chunks of 16 bytes. These are the fragments of a lane, with g = lane / 4 and t = lane % 4:
//   A (16 x K)      a[0], a[1]: word t of the first chunk of rows g, g + 8; a[2], a[3]: the second
//   B (K x 8)       b0, b1: word t of the first and second chunk of column g
//   accum (16 x 8)  [0], [1]: row g, columns 2 t, 2 t + 1; [2], [3]: the same columns of row g + 8
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
// Like mma, but with half of K, one chunk: m16n8k8 for operands of 16 bits, m16n8k4 for TF32. Reads
// only a[0], a[1] and b0.
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

// Returns the nearest TF32 number, ties away from zero, as the bits of an fp32 number. NaN and Inf
// do not change.
__device__ __forceinline__ unsigned cvt_rna_tf32(float value) {
  unsigned bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
  return bits;
}

}  // namespace atc::ptx
