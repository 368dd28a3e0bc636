// The dynamic shared memory of a block, and the order of the taps of a filter.
#pragma once

namespace atc::depthwise {

__device__ inline float* shared_floats() {
  extern __shared__ float4 memory[];
  return reinterpret_cast<float*>(memory);
}

// Returns the index, in the stored filter, of the tap that is number `t` in the order of the sum.
// If the filter is flipped, the two orders are opposite.
__device__ inline int stored_tap(int t, int taps, int flipped) {
  return flipped ? taps - 1 - t : t;
}

}  // namespace atc::depthwise
