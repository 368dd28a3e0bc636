// Copies into shared memory that continue while the thread that started them computes (cp.async).
// Only that thread waits for them. Before compute capability 8.0 the copies are made at once.
#pragma once

#include "engines/kernels/depthwise/elements.cuh"
#include "engines/kernels/ptx.cuh"

namespace atc::depthwise {

// Copies kBytes, which are 4, 8 or 16. Both addresses are aligned to kBytes. If `exists` is false,
// writes zeros and reads nothing.
template <int kBytes>
__device__ __forceinline__ void start_copy(void* to, const void* from, bool exists) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 800
  using Bits = typename Word<kBytes>::Type;
  *static_cast<Bits*>(to) = exists ? *static_cast<const Bits*>(from) : Bits{};
#else
  ptx::copy_async_cached<kBytes>(ptx::shared_address(to), from, exists);
#endif
}

// The copies started since the last call are a group.
__device__ __forceinline__ void end_group() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  ptx::commit_async();
#endif
}

// Waits until at most `kPending` of this thread's latest groups are not done.
template <int kPending>
__device__ __forceinline__ void await_groups() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  ptx::wait_async<kPending>();
#endif
}

}  // namespace atc::depthwise
