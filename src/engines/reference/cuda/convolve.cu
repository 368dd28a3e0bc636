// Kernels of the reference engine that compute the whole output of a convolution. Sums are computed
// in double precision and rounded once to the output's dtype.
#include "engines/reference/cuda/summands.cuh"

namespace atc::reference {

namespace {

struct Total {
  double value = 0;
  __device__ void add(double term) { value += term; }
  __device__ void multiply(double factor) { value *= factor; }
};

// Sets `index` to the five indices of the output's element with the number `number`. Returns the
// offset of the element in elements.
__device__ long long locate(const DeviceGeometry& g, const DevicePosition& extents,
                            long long number, long long* index) {
  long long place = 0;
  for (int d = 4; d >= 0; --d) {
    index[d] = number % extents.index[d];
    number /= extents.index[d];
    place += index[d] * output(g).strides[d];
  }
  return place;
}

__device__ long long volume(const DevicePosition& extents) {
  long long elements = 1;
  for (const long long extent : extents.index) elements *= extent;
  return elements;
}

}  // namespace

// Computes the whole output, with one thread for each element. `extents` are the five extents of
// the output. If the output has fewer than three spatial dimensions, the missing leading extents
// are 1. If the problem accumulates, the thread reads the old element before it writes the new one.
extern "C" __global__ void atc_reference_convolve(DeviceGeometry g, DeviceOperands p,
                                                  DevicePosition extents, void* result) {
  const long long elements = volume(extents);
  for (long long i = cuda::first_index(); i < elements; i += cuda::index_step()) {
    long long index[5];
    const long long place = locate(g, extents, i, index);
    Total sum;
    add_summands(g, p, index, 0, 1, sum);
    finish(g, p, index, sum);
    cuda::store_element(result, output(g).dtype, place, sum.value);
  }
}

// Computes the whole output, with a block of one warp for each element. This kernel is used for the
// gradient of the weights, which has few elements with very many summands each.
extern "C" __global__ void atc_reference_convolve_by_blocks(DeviceGeometry g, DeviceOperands p,
                                                            DevicePosition extents, void* result) {
  const long long elements = volume(extents);
  for (long long i = blockIdx.x; i < elements; i += gridDim.x) {
    long long index[5];
    const long long place = locate(g, extents, i, index);
    Total sum;
    add_summands(g, p, index, threadIdx.x, blockDim.x, sum);
    for (int lane = 16; lane > 0; lane /= 2)
      sum.value += __shfl_down_sync(0xffffffffu, sum.value, lane);
    if (threadIdx.x != 0) continue;
    finish(g, p, index, sum);
    cuda::store_element(result, output(g).dtype, place, sum.value);
  }
}

}  // namespace atc::reference
