// A convolution's output in double: single elements, a block for each whose threads share the sum, and
// all of it, a thread for each element. The twin of position.cpp, which proves it.
#include "device/cuda/kernels/element.cuh"
#include "engines/reference/cuda/geometry.hpp"

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

__device__ double at(const DeviceTensor& tensor, const void* data, long long a, long long b,
                     const long long* s) {
  return cuda::load_element(data, tensor.dtype,
                            a * tensor.strides[0] + b * tensor.strides[1] +
                                s[0] * tensor.strides[2] + s[1] * tensor.strides[3] +
                                s[2] * tensor.strides[4]);
}

__device__ void unpack(long long number, const long long* extents, long long* index) {
  for (int d = 2; d >= 0; --d) {
    index[d] = number % extents[d];
    number /= extents[d];
  }
}

// The input position that output `o` sees through tap `t`; false where that is padding.
__device__ bool input_of(const DeviceGeometry& g, const long long* o, const long long* t,
                         long long* i) {
  for (int d = 0; d < 3; ++d) {
    i[d] = o[d] * g.stride[d] + t[d] * g.dilation[d] - g.pad[d];
    if (i[d] < 0 || i[d] >= g.in[d]) return false;
  }
  return true;
}

// The output position that sees input `i` through tap `t`; false where there is none.
__device__ bool output_of(const DeviceGeometry& g, const long long* i, const long long* t,
                          long long* o) {
  for (int d = 0; d < 3; ++d) {
    const long long scaled = i[d] + g.pad[d] - t[d] * g.dilation[d];
    if (scaled < 0 || scaled % g.stride[d] != 0) return false;
    o[d] = scaled / g.stride[d];
    if (o[d] >= g.out[d]) return false;
  }
  return true;
}

__device__ long long volume(const long long* extents) {
  return extents[0] * extents[1] * extents[2];
}

// Every `step`-th of the summands, from `start` on.
__device__ void add_summands(const DeviceGeometry& g, const DeviceOperands& p,
                             const long long* index, long long start, long long step, Sum& sum) {
  const long long* const here = index + 2;
  long long tap[3], other[3];
  if (g.direction == 1) {  // forward
    const long long first = index[1] / g.group_out * g.group_in, taps = volume(g.kernel);
    for (long long i = start; i < g.group_in * taps; i += step) {
      unpack(i % taps, g.kernel, tap);
      if (input_of(g, here, tap, other))
        sum.add(at(g.x, p.x, index[0], first + i / taps, other) *
                at(g.w, p.w, index[1], i / taps, tap));
    }
  } else if (g.direction == 2) {  // backward data
    const long long group = index[1] / g.group_in, c = index[1] % g.group_in;
    const long long taps = volume(g.kernel);
    for (long long i = start; i < g.group_out * taps; i += step) {
      const long long k = group * g.group_out + i / taps;
      unpack(i % taps, g.kernel, tap);
      if (output_of(g, here, tap, other))
        sum.add(at(g.y, p.y, index[0], k, other) * at(g.w, p.w, k, c, tap));
    }
  } else {  // backward weight
    const long long c = index[0] / g.group_out * g.group_in + index[1];
    const long long plane = volume(g.out);
    for (long long i = start; i < g.batch * plane; i += step) {
      long long o[3];
      unpack(i % plane, g.out, o);
      if (input_of(g, o, here, other))
        sum.add(at(g.x, p.x, i / plane, c, other) * at(g.y, p.y, i / plane, index[0], o));
    }
  }
}

__device__ const DeviceTensor& output(const DeviceGeometry& g) {
  return g.direction == 1 ? g.y : g.direction == 2 ? g.x : g.w;
}

// Bias, old value and relu; tells the value without the old one.
__device__ double finish(const DeviceGeometry& g, const DeviceOperands& p, const long long* index,
                         Sum& sum) {
  if (g.has_bias) sum.add(cuda::load_element(p.bias, output(g).dtype, index[1]));
  const double fresh = sum.value;
  if (g.accumulate) sum.add(at(output(g), p.old, index[0], index[1], index + 2));
  if (g.relu) sum.value = fmax(sum.value, 0.0);
  return fresh;
}

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
  result.products = sum.value;
  result.fresh = finish(g, p, index, sum);
  result.value = sum.value;
  result.magnitude = sum.magnitude;
  result.energy = sum.energy;
}

// `extents` are the output's, five of them, leading spatial ones 1. Each element is read, where the
// problem accumulates, and written by its own thread.
extern "C" __global__ void atc_reference_convolve(DeviceGeometry g, DeviceOperands p,
                                                  DevicePosition extents, void* result) {
  long long elements = 1;
  for (const long long extent : extents.index) elements *= extent;
  for (long long i = cuda::first_index(); i < elements; i += cuda::index_step()) {
    long long index[5], rest = i, place = 0;
    for (int d = 4; d >= 0; --d) {
      index[d] = rest % extents.index[d];
      rest /= extents.index[d];
      place += index[d] * output(g).strides[d];
    }
    Sum sum{0, 0, 0};
    add_summands(g, p, index, 0, 1, sum);
    finish(g, p, index, sum);
    cuda::store_element(result, output(g).dtype, place, sum.value);
  }
}

}  // namespace atc::reference
