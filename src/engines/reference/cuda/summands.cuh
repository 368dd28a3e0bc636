// Device functions that add the summands of one element of a convolution's output. position.cpp has
// the same functions for the host, and tests compare the results of both.
#pragma once

#include "device/cuda/kernels/element.cuh"
#include "engines/epilogue/activation.cuh"
#include "engines/reference/cuda/geometry.hpp"

namespace atc::reference {

// Returns the offset, in elements, of the element with the outer indices `a` and `b` (such as image
// and channel) at the spatial position `s`.
__device__ inline long long offset_of(const DeviceTensor& tensor, long long a, long long b,
                                      const long long* s) {
  return a * tensor.strides[0] + b * tensor.strides[1] + s[0] * tensor.strides[2] +
         s[1] * tensor.strides[3] + s[2] * tensor.strides[4];
}

__device__ inline double at(const DeviceTensor& tensor, const void* data, long long a, long long b,
                            const long long* s) {
  return cuda::load_element(data, tensor.dtype, offset_of(tensor, a, b, s));
}

__device__ inline const DeviceTensor& output(const DeviceGeometry& g) {
  return g.direction == 1 ? g.y : g.direction == 2 ? g.x : g.w;
}

// The output position `o` (a position of y) is a sum of products. Sets `i` to the position of x in
// the product with the filter's tap `t`. Returns false if this position of x is padding.
__device__ inline bool input_of(const DeviceGeometry& g, const long long* o, const long long* t,
                                long long* i) {
  for (int d = 0; d < 3; ++d) {
    i[d] = o[d] * g.stride[d] + t[d] * g.dilation[d] - g.pad[d];
    if (i[d] < 0 || i[d] >= g.in[d]) return false;
  }
  return true;
}

// Sets `o` to the output position (a position of y) whose product with the filter's tap `t` uses
// the position `i` of x. Returns false if there is no such output position.
__device__ inline bool output_of(const DeviceGeometry& g, const long long* i, const long long* t,
                                 long long* o) {
  for (int d = 0; d < 3; ++d) {
    const long long scaled = i[d] + g.pad[d] - t[d] * g.dilation[d];
    if (scaled < 0 || scaled % g.stride[d] != 0) return false;
    o[d] = scaled / g.stride[d];
    if (o[d] >= g.out[d]) return false;
  }
  return true;
}

// Adds to `sum` the products of `count` pairs of elements, one of `a` and one of `b`. The offsets
// of the first pair are `a_offset` and `b_offset`, and the distances from pair to pair are `a_step`
// and `b_step`, all in elements. Only every `step`-th pair is added, beginning with the pair
// `start`.
template <typename Sum>
__device__ void add_products(const DeviceTensor& a, const void* a_data, long long a_offset,
                             const DeviceTensor& b, const void* b_data, long long b_offset,
                             long long count, long long a_step, long long b_step, long long start,
                             long long step, Sum& sum) {
  for (long long i = start; i < count; i += step)
    sum.add(cuda::load_element(a_data, a.dtype, a_offset + i * a_step) *
            cuda::load_element(b_data, b.dtype, b_offset + i * b_step));
}

// Adds to `sum` summands of the gradient of one weight: those of one image `n` and one channel of
// y. Only every `step`-th of these is added, beginning with `start`. The function spends most of
// its time on divisions, and 32-bit divisions are faster than 64-bit ones. So `Integer` has 32 bits
// if possible.
template <typename Integer, typename Sum>
__device__ void add_plane(const DeviceGeometry& g, const DeviceOperands& p, long long n,
                          long long c, const long long* index, Integer start, Integer step,
                          Sum& sum) {
  const auto rows = static_cast<Integer>(g.out[1]), columns = static_cast<Integer>(g.out[2]);
  const Integer plane = static_cast<Integer>(g.out[0]) * rows * columns;
  long long input[3];
  for (Integer i = start; i < plane; i += step) {
    const Integer row = i / columns;
    const long long o[3] = {row / rows, row % rows, i - row * columns};
    if (input_of(g, o, index + 2, input))
      sum.add(at(g.x, p.x, n, c, input) * at(g.y, p.y, n, index[0], o));
  }
}

// Adds one thread's part of the summands of an element to `sum`. The summands are divided among
// `step` threads (a power of two); `start` is the index of this thread. The thread adds the
// products of every `step`-th channel, beginning with channel `start`. For the gradient of the
// weights it adds the products of every `step`-th position of y.
template <typename Sum>
__device__ void add_summands(const DeviceGeometry& g, const DeviceOperands& p,
                             const long long* index, unsigned start, unsigned step, Sum& sum) {
  if (g.direction == 3) {
    const long long c = index[0] / g.group_out * g.group_in + index[1];
    const long long plane = g.out[0] * g.out[1] * g.out[2];
    const bool small = plane + step <= 0xffffffffll;
    // If y has fewer positions in an image than there are threads, several images are added at the
    // same time.
    unsigned threads = 1;  // the number of threads for an image
    while (threads < step && threads < plane) threads *= 2;
    for (long long n = start / threads; n < g.batch; n += step / threads)
      small ? add_plane<unsigned>(g, p, n, c, index, start % threads, threads, sum)
            : add_plane<long long>(g, p, n, c, index, start % threads, threads, sum);
    return;
  }
  const bool forward = g.direction == 1;
  const long long* const here = index + 2;
  const long long group = index[1] / (forward ? g.group_out : g.group_in);
  long long t[3], other[3];
  for (t[0] = 0; t[0] < g.kernel[0]; ++t[0])
    for (t[1] = 0; t[1] < g.kernel[1]; ++t[1])
      for (t[2] = 0; t[2] < g.kernel[2]; ++t[2]) {
        if (forward && input_of(g, here, t, other)) {
          add_products(g.x, p.x, offset_of(g.x, index[0], group * g.group_in, other), g.w, p.w,
                       offset_of(g.w, index[1], 0, t), g.group_in, g.x.strides[1], g.w.strides[1],
                       start, step, sum);
        } else if (!forward && output_of(g, here, t, other)) {
          const long long first = group * g.group_out, c = index[1] - group * g.group_in;
          add_products(g.y, p.y, offset_of(g.y, index[0], first, other), g.w, p.w,
                       offset_of(g.w, first, c, t), g.group_out, g.y.strides[1], g.w.strides[0],
                       start, step, sum);
        }
      }
}

// Finishes an element. At first `sum` must be the sum of the products. The function multiplies the
// sum by the scale, adds the bias, the old value and the residual, and applies the activation. An
// engine may round the sum to the output's dtype before it adds the bias, and round again before it
// adds the old value or the residual. So the function returns the larger absolute value of these
// two sums, times the largest slope of the activation. position.cpp does the same on the host.
template <typename Sum>
__device__ double finish(const DeviceGeometry& g, const DeviceOperands& p, const long long* index,
                         Sum& sum) {
  const DeviceTensor& to = output(g);
  if (g.has_scale) sum.multiply(cuda::load_element(p.scale, to.dtype, index[1]));
  double fresh = fabs(sum.value);
  if (g.has_bias) sum.add(cuda::load_element(p.bias, to.dtype, index[1]));
  fresh = fmax(fresh, fabs(sum.value));
  if (g.accumulate) sum.add(at(to, p.old, index[0], index[1], index + 2));
  if (g.has_residual) sum.add(at(to, p.residual, index[0], index[1], index + 2));
  const double value = activated(g.activation, sum.value);
  sum.multiply(g.steepest);
  // The 1 in the formula of the sigmoid counts as one more summand.
  if (g.activation.function == Function::sigmoid) sum.add(1);
  sum.value = value;
  return fresh * g.steepest;
}

}  // namespace atc::reference
