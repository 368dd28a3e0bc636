// Single elements of a convolution's output in double: one block for each, whose threads add parts
// of the sum.
#include "engines/reference/cuda/summands.cuh"

namespace atc::reference {

namespace {

struct Sum {
  double value, magnitude, energy;
  __device__ void add(double term) {
    value += term;
    magnitude += fabs(term);
    energy += term * term;
  }
};

}  // namespace

constexpr int kThreads = 128;

extern "C" __global__ void __launch_bounds__(kThreads)
    atc_reference_values(DeviceGeometry g, DeviceOperands p, const DevicePosition* positions,
                         DeviceValue* values) {
  __shared__ Sum parts[kThreads];
  const long long* const index = positions[blockIdx.x].index;
  Sum own{0, 0, 0};
  add_summands(g, p, index, threadIdx.x, blockDim.x, own);
  parts[threadIdx.x] = own;
  __syncthreads();
  if (threadIdx.x != 0) return;
  Sum sum{0, 0, 0};
  for (int i = 0; i < kThreads; ++i) {
    sum.value += parts[i].value;
    sum.magnitude += parts[i].magnitude;
    sum.energy += parts[i].energy;
  }
  DeviceValue& result = values[blockIdx.x];
  result.fresh = finish(g, p, index, sum);
  result.value = sum.value;
  result.magnitude = sum.magnitude;
  result.energy = sum.energy;
}

}  // namespace atc::reference
