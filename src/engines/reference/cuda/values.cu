// Kernels that compute selected elements of a convolution's output in double precision. The
// summands of an element are divided among the threads of several blocks. So the device is fully
// used even if there are few elements with very many summands.
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
  __device__ void multiply(double factor) {
    value *= factor;
    magnitude *= fabs(factor);
    energy *= factor * factor;
  }
  __device__ void add(const Sum& other) {
    value += other.value;
    magnitude += other.magnitude;
    energy += other.energy;
  }
};

constexpr int kThreads = 128;

}  // namespace

// Computes partial sums. `splits` blocks (a power of two) work on each element. Each block writes
// one partial sum of its element to `parts`.
extern "C" __global__ void __launch_bounds__(kThreads)
    atc_reference_parts(DeviceGeometry g, DeviceOperands p, const DevicePosition* positions,
                        unsigned splits, DeviceValue* parts) {
  __shared__ Sum sums[kThreads];
  const long long* const index = positions[blockIdx.x / splits].index;
  Sum own{0, 0, 0};
  add_summands(g, p, index, blockIdx.x % splits * blockDim.x + threadIdx.x, splits * blockDim.x,
               own);
  sums[threadIdx.x] = own;
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x].add(sums[threadIdx.x + half]);
  }
  if (threadIdx.x != 0) return;
  DeviceValue& part = parts[blockIdx.x];
  part.value = sums[0].value;
  part.magnitude = sums[0].magnitude;
  part.energy = sums[0].energy;
}

// Computes each element from its partial sums and the other operands.
extern "C" __global__ void atc_reference_values(DeviceGeometry g, DeviceOperands p,
                                                const DevicePosition* positions, long long count,
                                                unsigned splits, const DeviceValue* parts,
                                                DeviceValue* values) {
  for (long long i = cuda::first_index(); i < count; i += cuda::index_step()) {
    Sum sum{0, 0, 0};
    for (unsigned part = 0; part < splits; ++part) {
      const DeviceValue& from = parts[i * splits + part];
      sum.add(Sum{from.value, from.magnitude, from.energy});
    }
    DeviceValue& result = values[i];
    result.fresh = finish(g, p, positions[i].index, sum);
    result.value = sum.value;
    result.magnitude = sum.magnitude;
    result.energy = sum.energy;
  }
}

}  // namespace atc::reference
