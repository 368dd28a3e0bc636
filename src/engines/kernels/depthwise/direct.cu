// Depthwise forward and backward-data of any geometry. A thread computes one output at a time, by
// FFMA. Operands are read from device memory.
//
// Contract
//   in, out  dense tensors, channels first or last (DirectShape); aligned to an element; f32, f16
//            or bf16
//   filter   dense, of the type of in
//   bias     null, or one element for each channel of out
//   shared   none
//   padding  Taps in padding are skipped. So an Inf in the filter changes only the outputs for
//            which its tap lies in the image
#include "device/cuda/kernels/element.cuh"
#include "engines/kernels/depthwise/arguments.hpp"
#include "engines/kernels/depthwise/elements.cuh"

namespace atc::depthwise {

namespace {

// The place of an output: image, channel, and index in each spatial dimension.
template <typename Integer>
struct Place {
  Integer image;
  int channel, at[3];

  __device__ Place(const DirectShape& g, Integer number) {
    const auto channels = static_cast<Integer>(g.out_channels);
    if (g.last) {
      const Integer rest = number / channels;
      channel = static_cast<int>(number - rest * channels);
      number = rest;
    }
    for (int d = 2; d >= 0; --d) {
      const auto extent = static_cast<Integer>(g.out[d]);
      const Integer rest = number / extent;
      at[d] = static_cast<int>(number - rest * extent);
      number = rest;
    }
    image = number;
    if (g.last) return;
    image = number / channels;
    channel = static_cast<int>(number - image * channels);
  }
};

// Returns which input (along dimension `d`) output `out` reads with tap `tap`. Returns a negative
// number if there is no such input.
__device__ inline int source(const DirectShape& g, int d, int out, int tap) {
  if (!g.backward) {
    const int at = out * g.stride[d] + tap * g.dilation[d] - g.pad[d];
    return at < g.in[d] ? at : -1;
  }
  const int scaled = out + g.pad[d] - tap * g.dilation[d];
  if (scaled < 0 || scaled % g.stride[d] != 0) return -1;
  const int at = scaled / g.stride[d];
  return at < g.in[d] ? at : -1;
}

template <typename Element, typename Integer>
__device__ void convolve(const Pointers& p, const DirectShape& g) {
  const auto* const in = static_cast<const Element*>(p.in);
  const auto* const filter = static_cast<const Element*>(p.filter);
  const auto* const bias = static_cast<const Element*>(p.bias);
  auto* const out = static_cast<Element*>(p.out);
  const int taps = g.taps[0] * g.taps[1] * g.taps[2];
  const long long volume = static_cast<long long>(g.in[0]) * g.in[1] * g.in[2];
  const long long step = g.last ? g.in_channels : 1;
  for (long long i = cuda::first_index(); i < g.elements; i += cuda::index_step()) {
    const Place<Integer> place(g, static_cast<Integer>(i));
    const int first = g.backward ? place.channel * g.multiple : place.channel / g.multiple;
    const int several = g.backward ? g.multiple : 1;
    float sum = 0;
    for (int m = 0; m < several; ++m) {
      const int channel = first + m;
      const Element* const plane = in +
                                   static_cast<long long>(place.image) * g.in_channels * volume +
                                   (g.last ? channel : channel * volume);
      const Element* weight =
          filter + static_cast<long long>(g.backward ? channel : place.channel) * taps;
      for (int t = 0; t < g.taps[0]; ++t) {
        const int at0 = source(g, 0, place.at[0], t);
        for (int r = 0; r < g.taps[1]; ++r) {
          const int at1 = source(g, 1, place.at[1], r);
          if (at0 < 0 || at1 < 0) {
            weight += g.taps[2];
            continue;
          }
          const Element* const row =
              plane + (static_cast<long long>(at0) * g.in[1] + at1) * g.in[2] * step;
          for (int s = 0; s < g.taps[2]; ++s, ++weight) {
            const int at2 = source(g, 2, place.at[2], s);
            if (at2 >= 0) sum = fmaf(to_float(row[at2 * step]), to_float(*weight), sum);
          }
        }
      }
    }
    if (g.finish.accumulate) sum += to_float(out[i]);
    if (bias != nullptr) sum += to_float(bias[place.channel]);
    from_float(g.finish.relu ? relu(sum) : sum, out[i]);
  }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(256) atc_depthwise_direct(Pointers p, DirectShape g) {
  with_element(g.finish.dtype, [&](auto element) {
    // Indices have 32 bits if possible, because 32-bit divisions are much faster than 64-bit
    // divisions.
    if (g.elements <= 0xffffffffll)
      convolve<decltype(element), unsigned>(p, g);
    else
      convolve<decltype(element), unsigned long long>(p, g);
  });
}

}  // namespace atc::depthwise
