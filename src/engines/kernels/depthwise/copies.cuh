// Copies into shared memory that go on while their thread computes, and that it waits for itself.
// Before compute capability 8.0 they are made at once.
#pragma once

#include "engines/kernels/depthwise/elements.cuh"

namespace atc::depthwise {

// kBytes of 4, 8 or 16, both ends aligned to that; zeros, with nothing read, where `exists` is not.
template <int kBytes>
__device__ __forceinline__ void start_copy(void* to, const void* from, bool exists) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 800
  using Bits = typename Word<kBytes>::Type;
  *static_cast<Bits*>(to) = exists ? *static_cast<const Bits*>(from) : Bits{};
#else
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(from), "n"(kBytes), "r"(exists ? kBytes : 0)
               : "memory");
#endif
}

// Those started since the last call are a group.
__device__ __forceinline__ void end_group() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Until at most `kPending` of this thread's latest groups are under way.
template <int kPending>
__device__ __forceinline__ void await_groups() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
#endif
}

}  // namespace atc::depthwise
