// Instructions of the tensor cores and of copies into shared memory, from compute capability 8.0
// on. Addresses in shared memory are 32-bit numbers, as those instructions take them.
#pragma once

#include <cstdint>

namespace atc::ptx {

// The dynamic shared memory of the block.
__device__ __forceinline__ unsigned char* dynamic_shared() {
  extern __shared__ __align__(128) unsigned char bytes[];
  return bytes;
}

// The type of a product's factors; sums are fp32.
enum class Factors { f16, bf16, tf32 };

__device__ __forceinline__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// pointer + bytes, in assembly, so that the compiler steps from address to address. Otherwise it
// would compute each address by a multiplication, which is slower.
__device__ __forceinline__ const unsigned char* advance(const unsigned char* pointer,
                                                        long long bytes) {
  asm("add.s64 %0, %0, %1;" : "+l"(pointer) : "l"(bytes));
  return pointer;
}

// Copies sixteen bytes, from and to addresses aligned to sixteen. If they are not `real`, writes
// zeros and reads nothing.
__device__ __forceinline__ void copy_async_16(unsigned to, const void* from, bool real) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
               "r"(real ? 16 : 0)
               : "memory");
}
// As copy_async_16, but reads only the first `bytes` (0 to 16) and fills up with zeros.
__device__ __forceinline__ void copy_async_some(unsigned to, const void* from, int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes)
               : "memory");
}
// As copy_async_16, for four, eight or sixteen bytes, which also go into the L1 cache.
template <int kBytes>
__device__ __forceinline__ void copy_async_cached(unsigned to, const void* from, bool real) {
  static_assert(kBytes == 4 || kBytes == 8 || kBytes == 16);
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(kBytes),
               "r"(real ? kBytes : 0)
               : "memory");
}
// As copy_async_16, for four, eight or sixteen bytes.
template <int kBytes>
__device__ __forceinline__ void copy_async(unsigned to, const void* from, bool real) {
  if constexpr (kBytes == 16)
    copy_async_16(to, from, real);
  else
    copy_async_cached<kBytes>(to, from, real);
}
__device__ __forceinline__ void commit_async() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
// Waits until at most `kPending` of this thread's latest groups of copies are not done.
template <int kPending>
__device__ __forceinline__ void wait_async() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

// Loads sixteen bytes from an address aligned to sixteen.
__device__ __forceinline__ float4 load_shared(unsigned address) {
  float4 values;
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(values.x), "=f"(values.y), "=f"(values.z), "=f"(values.w)
               : "r"(address)
               : "memory");
  return values;
}

// Stores two bytes at an address aligned to two.
__device__ __forceinline__ void store_shared_2(unsigned to, unsigned value) {
  asm volatile("st.shared.u16 [%0], %1;" ::"r"(to), "h"(static_cast<unsigned short>(value))
               : "memory");
}

// Loads four 8 x 8 matrices of 16-bit elements (ldmatrix). Each lane gives the address of a row of
// sixteen bytes: lanes 8 i to 8 i + 7 give the rows of matrix i. Lane l receives word l % 4 of row
// l / 4 of each matrix.
__device__ __forceinline__ void load_matrices(unsigned (&words)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(address)
               : "memory");
}
// As load_matrices, but transposed: lane l receives rows 2 (l % 4) and 2 (l % 4) + 1 of column l /
// 4 of each matrix.
__device__ __forceinline__ void load_matrices_transposed(unsigned (&words)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(address)
               : "memory");
}

// sums += a x b, with 16 rows, 8 columns and a depth of two chunks of sixteen bytes: 16 factors of
// 16 bits, or 8 in TF32. With g = lane / 4 and t = lane % 4: a[0] and a[1] are word t of the first
// chunk in rows g and g + 8, a[2] and a[3] of the second; b0 and b1 word t of both chunks in column
// g; sums[0] and sums[1] row g, columns 2 t and 2 t + 1, sums[2] and sums[3] row g + 8.
template <Factors kFactors>
__device__ __forceinline__ void multiply_add(float (&sums)[4], const unsigned (&a)[4], unsigned b0,
                                             unsigned b1) {
  if constexpr (kFactors == Factors::f16)
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  else if constexpr (kFactors == Factors::bf16)
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  else
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
// As multiply_add, with a depth of one chunk: reads a[0], a[1] and b0 only.
template <Factors kFactors>
__device__ __forceinline__ void multiply_add_one(float (&sums)[4], const unsigned (&a)[4],
                                                 unsigned b0) {
  if constexpr (kFactors == Factors::f16)
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
        "{%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(b0));
  else if constexpr (kFactors == Factors::bf16)
    asm("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
        "{%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(b0));
  else
    asm("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
        "{%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(b0));
}

// The nearest TF32 number, ties away from zero, as the bits of an fp32 number. NaN and Inf do not
// change.
__device__ __forceinline__ unsigned to_tf32(float value) {
  unsigned bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
  return bits;
}

}  // namespace atc::ptx
