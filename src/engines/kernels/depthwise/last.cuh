// Common parts of the depthwise kernels for channels last. A thread computes a vector of channels
// for a strip of columns in a band of rows.
//
// Contract of the kernels
//   in, out  dense tensors, channels last; aligned to the vector of channels
//   filter   dense, of the type of in. If a filter contains an Inf or NaN, its outputs are summed
//            tap by tap, without the taps that lie in padding
//   bias     null, or one element for each channel
//   shared   4 * tiling.filter_floats bytes: the filters as fp32, [tap][channel]. With
//            last_ahead.cu, the rows that each thread has copied ahead follow
//   refused  dilation, strides and filters that last_forms.hpp does not list
#pragma once

#include "engines/kernels/depthwise/arguments.hpp"
#include "engines/kernels/depthwise/elements.cuh"
#include "engines/kernels/depthwise/shared.cuh"
#include "engines/kernels/depthwise/ways.hpp"

namespace atc::depthwise {

namespace {

// The outputs that a thread computes, and the addresses that it needs for this.
template <typename Element>
struct Strip {
  // The addresses in `in` and `out` of the first pixel of the thread's image, at the thread's first
  // channel.
  const Element* in;
  Element* out;
  const Element* bias;  // null if the problem has no bias
  const float* filter;  // [tap][pitch]
  int pitch;
  int depth, row, col;  // the place of the thread's first output
  int rows;             // the number of rows of outputs that the thread computes
};

template <typename Element, int kCount>
__device__ void finish(const PlaneShape& g, float (&sum)[kCount], Element* to) {
  using Values = Vector<Element, kCount>;
  if (g.finish.accumulate) {
    float old[kCount];
    Values::load(to).unpack(old);
#pragma unroll
    for (int v = 0; v < kCount; ++v) sum[v] += old[v];
  }
  if (g.finish.relu) {
#pragma unroll
    for (int v = 0; v < kCount; ++v) sum[v] = relu(sum[v]);
  }
  Values::pack(sum).store(to);
}

template <typename Element, int VC>
__device__ inline void load_bias(const Strip<Element>& strip, float (&bias)[VC]) {
#pragma unroll
  for (int v = 0; v < VC; ++v) bias[v] = strip.bias == nullptr ? 0.0f : to_float(strip.bias[v]);
}

// Computes the outputs tap by tap and leaves out the taps that lie in padding. This function is
// used if a filter contains an Inf or NaN, because 0 x Inf would be NaN.
template <int VC, class Way, typename Element>
__device__ __noinline__ void convolve_each(const PlaneShape& g, Strip<Element> strip, int T, int R,
                                           int S, int TW) {
  const int channels = g.channels;
  const int rows = Way::window(strip.rows / Way::kOut, R), cols = Way::window(TW, S);
  const int row0 = Way::first(strip.row, g.pad[1], R), col0 = Way::first(strip.col, g.pad[2], S);
  for (int i = 0; i < strip.rows; ++i)
    for (int j = 0; j < TW * Way::kOut; ++j) {
      const int row = strip.row + i, col = strip.col + j;
      if (row < 0 || row >= g.out[1] || col < 0 || col >= g.out[2]) continue;
      float sum[VC];
      load_bias(strip, sum);
#pragma unroll 1
      for (int t = 0; t < T; ++t)
#pragma unroll 1
        for (int k = 0; k < rows; ++k)
#pragma unroll 1
          for (int l = 0; l < cols; ++l) {
            const int r = Way::tap(i, k, R), s = Way::tap(j, l, S);
            const int d = strip.depth - g.pad[0] + t, h = row0 + k, w = col0 + l;
            if (r < 0 || r >= R || s < 0 || s >= S || d < 0 || d >= g.in[0] || h < 0 ||
                h >= g.in[1] || w < 0 || w >= g.in[2])
              continue;
            float values[VC];
            Vector<Element, VC>::load(
                strip.in + ((static_cast<long long>(d) * g.in[1] + h) * g.in[2] + w) * channels)
                .unpack(values);
            const float* const weight = strip.filter + ((t * R + r) * S + s) * strip.pitch;
            for (int v = 0; v < VC; ++v) sum[v] = fmaf(values[v], weight[v], sum[v]);
          }
      finish(g, sum,
             strip.out + ((static_cast<long long>(strip.depth) * g.out[1] + row) * g.out[2] + col) *
                             channels);
    }
}

// Sets `strip` to the strip of this thread. Returns false if there is no strip for this thread;
// then `strip` must not be used.
template <class Way, int VC, int TW, typename Element>
__device__ bool find_strip(const Pointers& p, const PlaneShape& g, const LastTiling& tiling,
                           Strip<Element>& strip) {
  const int chunk = static_cast<int>(blockIdx.x % tiling.chunks);
  const int vector = chunk * tiling.lanes + static_cast<int>(threadIdx.x);
  unsigned position = blockIdx.x / tiling.chunks * tiling.lines + threadIdx.y;
  if (vector >= tiling.vectors || position >= tiling.positions) return false;
  const auto next = [&](int extent) {
    const unsigned rest = position / extent;
    const int at = static_cast<int>(position - rest * extent);
    position = rest;
    return at;
  };
  strip.col = tiling.col_start + next(tiling.strips) * TW * Way::kOut;
  strip.row = tiling.row_start + next(tiling.bands) * tiling.band_steps * Way::kOut;
  strip.depth = next(g.out[0]);
  strip.rows =
      min(tiling.band_steps, (g.out[1] - strip.row + Way::kOut - 1) / Way::kOut) * Way::kOut;
  const long long image = position;
  const int channel = vector * VC;
  strip.in = static_cast<const Element*>(p.in) + channel +
             image * g.in[0] * g.in[1] * g.in[2] * g.channels;
  strip.out =
      static_cast<Element*>(p.out) + channel + image * g.out[0] * g.out[1] * g.out[2] * g.channels;
  strip.bias = p.bias == nullptr ? nullptr : static_cast<const Element*>(p.bias) + channel;
  strip.pitch = tiling.lanes * VC + 4;
  strip.filter = shared_floats() + threadIdx.x * VC;
  return true;
}

// Copies the filters of a block's channels to the beginning of its shared memory, as fp32. All
// threads of the block must call this function.
template <int VC, typename Element>
__device__ void stage_filters(const Pointers& p, const PlaneShape& g, const LastTiling& tiling,
                              int taps) {
  const int first = static_cast<int>(blockIdx.x % tiling.chunks) * tiling.lanes * VC;
  const int count = min(tiling.lanes * VC, g.channels - first) * taps;
  const int pitch = tiling.lanes * VC + 4;
  const int threads = blockDim.x * blockDim.y;
  const Element* const filter =
      static_cast<const Element*>(p.filter) + static_cast<long long>(first) * taps;
  float* const to = shared_floats();
  for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < count; i += threads) {
    const int channel = i / taps, t = i - channel * taps;
    to[stored_tap(t, taps, g.flipped) * pitch + channel] = to_float(filter[i]);
  }
}

// Loads a thread's filters from shared memory. Returns 0 if all of them are finite, otherwise NaN.
template <int kTaps, int VC, typename Element>
__device__ float load_weights(const Strip<Element>& strip, float (&weights)[kTaps][VC]) {
  constexpr int kPart = VC % 4 == 0 ? 4 : VC;
  float probe = 0;
#pragma unroll
  for (int t = 0; t < kTaps; ++t)
#pragma unroll
    for (int v = 0; v < VC; v += kPart) {
      float values[kPart];
      Vector<float, kPart>::load(strip.filter + t * strip.pitch + v).unpack(values);
#pragma unroll
      for (int i = 0; i < kPart; ++i) {
        weights[t][v + i] = values[i];
        probe = fmaf(values[i], 0.0f, probe);
      }
    }
  return probe;
}

}  // namespace

}  // namespace atc::depthwise
