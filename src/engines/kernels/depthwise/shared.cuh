// Access to the dynamic shared memory of a block, and the order of the taps of a filter.
#pragma once

namespace atc::depthwise {

__device__ inline float* shared_floats() {
  extern __shared__ float4 memory[];
  return reinterpret_cast<float*>(memory);
}

// Products are summed in the order of the taps t = 0, 1, and so on. Returns the index in the stored
// filter of tap `t` of this order. If the filter is flipped, the stored order is the opposite one.
__device__ inline int stored_tap(int t, int taps, int flipped) {
  return flipped ? taps - 1 - t : t;
}

}  // namespace atc::depthwise
