// Depthwise forward and backward-data, channels last. A thread has a vector of channels and a strip
// of columns, and goes down a band of rows. Several rows of outputs are incomplete at a time; a
// ring of accumulators has them. So each row of the input is loaded once. The filter is in
// registers.
#include "engines/kernels/depthwise/last.cuh"
#include "engines/kernels/depthwise/last_forms.hpp"

namespace atc::depthwise {

namespace {

template <typename Element, class Way, int T, int R, int S, int VC, int TW, int U>
__device__ void convolve(const Pointers& p, const PlaneShape& g, const LastTiling& tiling) {
  using Values = Vector<Element, VC>;
  constexpr int kTaps = T * R * S, kSlots = Way::slots(R), kCols = Way::window(TW, S);
  constexpr int kOutCols = TW * Way::kOut;

  Strip<Element> strip;
  stage_filters<VC, Element>(p, g, tiling, kTaps);
  __syncthreads();
  if (!find_strip<Way, VC, TW>(p, g, tiling, strip)) return;
  float weights[kTaps][VC], bias[VC];
  // If a weight is Inf or NaN, the sums are computed tap by tap. The code after this branch
  // multiplies padding, as zeros. This is only right for finite weights, because 0 x Inf is NaN.
  if (load_weights(strip, weights) != 0) return convolve_each<VC, Way>(g, strip, T, R, S, TW);
  load_bias(strip, bias);

  const int row0 = Way::first(strip.row, g.pad[1], R), col0 = Way::first(strip.col, g.pad[2], S);
  unsigned inside = 0;
#pragma unroll
  for (int j = 0; j < kCols; ++j)
    inside |= static_cast<unsigned>(col0 + j >= 0 && col0 + j < g.in[2]) << j;

  float sums[kSlots][Way::kOut][kOutCols][VC];
#pragma unroll
  for (int a = 1; a < kSlots; ++a)
#pragma unroll
    for (int e = 0; e < Way::kOut; ++e)
#pragma unroll
      for (int j = 0; j < kOutCols; ++j)
#pragma unroll
        for (int v = 0; v < VC; ++v) sums[a][e][j][v] = 0;

  const int units = strip.rows / Way::kOut, steps = units + kSlots - 1;
#pragma unroll 1
  for (int step = 0; step < steps; step += U) {
    Values rows[T][U * Way::kIn][kCols];
#pragma unroll
    for (int t = 0; t < T; ++t)
#pragma unroll
      for (int k = 0; k < U * Way::kIn; ++k) {
        const int d = strip.depth - g.pad[0] + t, h = row0 + step * Way::kIn + k;
        const bool exists = (T == 1 || (d >= 0 && d < g.in[0])) && h >= 0 && h < g.in[1] &&
                            step + k / Way::kIn < steps;
        const Element* const row =
            strip.in +
            ((T == 1 ? 0ll : static_cast<long long>(d) * g.in[1]) + h) * g.in[2] * g.channels;
#pragma unroll
        for (int j = 0; j < kCols; ++j)
          rows[t][k][j] = exists && (inside >> j & 1)
                              ? Values::load(row + static_cast<long long>(col0 + j) * g.channels)
                              : Values::zero();
      }
#pragma unroll
    for (int u = 0; u < U; ++u) {
#pragma unroll
      for (int e = 0; e < Way::kOut; ++e)
#pragma unroll
        for (int j = 0; j < kOutCols; ++j)
#pragma unroll
          for (int v = 0; v < VC; ++v) sums[0][e][j][v] = bias[v];
#pragma unroll
      for (int t = 0; t < T; ++t)
#pragma unroll
        for (int k = 0; k < Way::kIn; ++k)
#pragma unroll
          for (int l = 0; l < kCols; ++l) {
            float values[VC];
            rows[t][u * Way::kIn + k][l].unpack(values);
#pragma unroll
            for (int a = 0; a < kSlots; ++a)
#pragma unroll
              for (int e = 0; e < Way::kOut; ++e)
#pragma unroll
                for (int j = 0; j < kOutCols; ++j) {
                  const int r = Way::tap(e, a * Way::kIn + k, R), s = Way::tap(j, l, S);
                  if (r < 0 || r >= R || s < 0 || s >= S) continue;
#pragma unroll
                  for (int v = 0; v < VC; ++v)
                    sums[a][e][j][v] =
                        fmaf(values[v], weights[(t * R + r) * S + s][v], sums[a][e][j][v]);
                }
          }
      const int done = step + u - (kSlots - 1);
      if (done >= 0 && done < units) {
#pragma unroll
        for (int e = 0; e < Way::kOut; ++e) {
          const int row = strip.row + done * Way::kOut + e;
          if (row < 0 || row >= g.out[1]) continue;
          Element* const to = strip.out + (static_cast<long long>(strip.depth) * g.out[1] + row) *
                                              g.out[2] * g.channels;
#pragma unroll
          for (int j = 0; j < kOutCols; ++j)
            if (strip.col + j >= 0 && strip.col + j < g.out[2])
              finish(g, sums[kSlots - 1][e][j],
                     to + static_cast<long long>(strip.col + j) * g.channels);
        }
      }
#pragma unroll
      for (int a = kSlots - 1; a > 0; --a)
#pragma unroll
        for (int e = 0; e < Way::kOut; ++e)
#pragma unroll
          for (int j = 0; j < kOutCols; ++j)
#pragma unroll
            for (int v = 0; v < VC; ++v) sums[a][e][j][v] = sums[a - 1][e][j][v];
    }
  }
}

// Computes a strip for a filter of `R` rows, which may be large: the rows of the filter are read
// from shared memory, one at a time. A strip has TH rows and TW columns of outputs.
template <typename Element, class Way, int S, int VC, int TW, int TH>
__device__ void convolve_by_rows(const Pointers& p, const PlaneShape& g, const LastTiling& tiling,
                                 int R) {
  using Values = Vector<Element, VC>;
  using Weights = Vector<float, VC>;
  constexpr int kCols = Way::window(TW, S);
  Strip<Element> strip;
  stage_filters<VC, Element>(p, g, tiling, R * S);
  __syncthreads();
  if (!find_strip<Way, VC, TW>(p, g, tiling, strip)) return;
  float probe = 0;
  for (int t = 0; t < R * S; ++t)
#pragma unroll
    for (int v = 0; v < VC; ++v) probe = fmaf(strip.filter[t * strip.pitch + v], 0.0f, probe);
  // If a weight is Inf or NaN, the sums are computed tap by tap. The code after this branch
  // multiplies padding, as zeros. This is only right for finite weights, because 0 x Inf is NaN.
  if (probe != 0) return convolve_each<VC, Way>(g, strip, 1, R, S, TW);
  float bias[VC];
  load_bias(strip, bias);

  const int row0 = Way::first(strip.row, g.pad[1], R), col0 = Way::first(strip.col, g.pad[2], S);
  float sums[TH][TW][VC];
#pragma unroll
  for (int i = 0; i < TH; ++i)
#pragma unroll
    for (int j = 0; j < TW; ++j)
#pragma unroll
      for (int v = 0; v < VC; ++v) sums[i][j][v] = bias[v];
#pragma unroll 1
  for (int k = 0; k < Way::window(TH, R); ++k) {
    const int h = row0 + k;
    if (h < 0 || h >= g.in[1]) continue;
    const Element* const row = strip.in + static_cast<long long>(h) * g.in[2] * g.channels;
    float values[kCols][VC];
#pragma unroll
    for (int l = 0; l < kCols; ++l) {
      const int w = col0 + l;
      (w >= 0 && w < g.in[2] ? Values::load(row + static_cast<long long>(w) * g.channels)
                             : Values::zero())
          .unpack(values[l]);
    }
#pragma unroll
    for (int i = 0; i < TH; ++i) {
      const int r = Way::tap(i, k, R);
      if (r < 0 || r >= R) continue;
      const float* const filter = strip.filter + r * S * strip.pitch;
#pragma unroll
      for (int s = 0; s < S; ++s) {
        float weights[VC];
        Weights::load(filter + s * strip.pitch).unpack(weights);
#pragma unroll
        for (int j = 0; j < TW; ++j)
#pragma unroll
          for (int v = 0; v < VC; ++v)
            sums[i][j][v] = fmaf(values[j * Way::kIn + s][v], weights[v], sums[i][j][v]);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < TH; ++i) {
    if (strip.row + i >= g.out[1]) continue;
    Element* const to = strip.out + static_cast<long long>(strip.row + i) * g.out[2] * g.channels;
#pragma unroll
    for (int j = 0; j < TW; ++j)
      if (strip.col + j < g.out[2])
        finish(g, sums[i][j], to + static_cast<long long>(strip.col + j) * g.channels);
  }
}

}  // namespace

#define ATC_DEPTHWISE_LAST(dtype, Element, way, Way, T, R, S, VC, TW, U)            \
  extern "C" __global__ void __launch_bounds__(kLastThreads)                        \
      atc_depthwise_last_##dtype##_##T##x##R##x##S##_##way##_v##VC##_w##TW(         \
          const __grid_constant__ Pointers p, const __grid_constant__ PlaneShape g, \
          const __grid_constant__ LastTiling tiling) {                              \
    convolve<Element, Way, T, R, S, VC, TW, U>(p, g, tiling);                       \
  }
ATC_DEPTHWISE_LAST_FORMS(ATC_DEPTHWISE_LAST)

#define ATC_DEPTHWISE_LAST_ROW(dtype, Element, way, Way, S, VC, TW, TH)             \
  extern "C" __global__ void __launch_bounds__(kLastThreads)                        \
      atc_depthwise_last_rows_##dtype##_##S##_##way##_v##VC##_w##TW##_h##TH(        \
          const __grid_constant__ Pointers p, const __grid_constant__ PlaneShape g, \
          const __grid_constant__ LastTiling tiling, int R) {                       \
    convolve_by_rows<Element, Way, S, VC, TW, TH>(p, g, tiling, R);                 \
  }
ATC_DEPTHWISE_LAST_ROW_FORMS(ATC_DEPTHWISE_LAST_ROW)

}  // namespace atc::depthwise
