// cp.async with a fallback: before compute capability 8.0 the copies are made at once. Each wrapper
// has the name of its instruction. Only the thread that started a copy waits for it.
#pragma once

#include "engines/kernels/depthwise/elements.cuh"
#include "engines/kernels/ptx.cuh"

namespace atc::depthwise {

// Copies kBytes, which are 4, 8 or 16. Both addresses are multiples of kBytes. If `valid` is false,
// writes zeros and reads nothing.
template <int kBytes>
__device__ __forceinline__ void cp_async(void* to, const void* from, bool valid) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 800
  using Bits = typename Word<kBytes>::Type;
  *static_cast<Bits*>(to) = valid ? *static_cast<const Bits*>(from) : Bits{};
#else
  ptx::cp_async_ca<kBytes>(ptx::shared_address(to), from, valid);
#endif
}

// Makes a group of the copies that were started since the last call.
__device__ __forceinline__ void cp_async_commit_group() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  ptx::cp_async_commit_group();
#endif
}

// Waits until at most kPending of this thread's latest groups are incomplete.
template <int kPending>
__device__ __forceinline__ void cp_async_wait_group() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  ptx::cp_async_wait_group<kPending>();
#endif
}

}  // namespace atc::depthwise
