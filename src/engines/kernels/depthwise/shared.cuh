// The dynamic shared memory of a block, and filters that are read from it.
#pragma once

namespace atc::depthwise {

__device__ inline float* shared_floats() {
  extern __shared__ float4 memory[];
  return reinterpret_cast<float*>(memory);
}

// Returns the index in the stored filter of the t-th tap of the sum.
__device__ inline int stored_tap(int t, int taps, int flipped) {
  return flipped ? taps - 1 - t : t;
}

}  // namespace atc::depthwise
