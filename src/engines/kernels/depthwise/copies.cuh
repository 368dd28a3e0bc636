// Wrappers of the instructions cp.async (asynchronous copies). Each wrapper has the name of its
// instruction. On compute capabilities below 8.0, which lack the instructions, a wrapper copies at
// once. Only the thread that started a copy can wait for it.
#pragma once

#include "engines/kernels/depthwise/elements.cuh"
#include "engines/kernels/ptx.cuh"

namespace atc::depthwise {

// Starts to copy kBytes bytes (4, 8 or 16). Both addresses must be multiples of kBytes. If `valid`
// is false, writes zeros and does not read `from`.
template <int kBytes>
__device__ __forceinline__ void cp_async(void* to, const void* from, bool valid) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 800
  using Bits = typename Word<kBytes>::Type;
  *static_cast<Bits*>(to) = valid ? *static_cast<const Bits*>(from) : Bits{};
#else
  ptx::cp_async_ca<kBytes>(ptx::shared_address(to), from, valid);
#endif
}

// Makes a group of all copies that this thread has started since it last made a group.
__device__ __forceinline__ void cp_async_commit_group() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  ptx::cp_async_commit_group();
#endif
}

// Waits until all of this thread's groups of copies are complete, except for the latest kPending
// ones.
template <int kPending>
__device__ __forceinline__ void cp_async_wait_group() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  ptx::cp_async_wait_group<kPending>();
#endif
}

}  // namespace atc::depthwise
