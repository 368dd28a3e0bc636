// Depthwise convolution, channels last: a thread owns a vector of channels and a strip of columns
// and slides down a band of rows. A ring of accumulators holds the rows that are under way, so that
// each row of the input is loaded once; the filter stays in registers.
#include "engines/kernels/depthwise/arguments.hpp"
#include "engines/kernels/depthwise/elements.cuh"
#include "engines/kernels/depthwise/last_forms.hpp"
#include "engines/kernels/depthwise/shared.cuh"
#include "engines/kernels/depthwise/ways.hpp"

namespace atc::depthwise {

namespace {

// What a thread works on.
template <typename Element>
struct Strip {
  const Element* in;  // of the image and the first channel
  Element* out;
  const float* filter;  // [tap][pitch]
  int pitch;
  int depth, row, col;  // of the first output
  int rows;             // outputs
};

// The filters of a block's channels, to [tap][pitch] in shared memory.
template <typename Element>
__device__ void stage_filters(const Element* filter, const PlaneShape& g, int first, int count,
                              int taps, int pitch, float* to) {
  const int threads = blockDim.x * blockDim.y;
  for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < count * taps; i += threads) {
    const int channel = i / taps, t = i - channel * taps;
    to[stored_tap(t, taps, g.flipped) * pitch + channel] =
        to_float(filter[static_cast<long long>(first) * taps + i]);
  }
}

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

// The same sums tap by tap, leaving out those in the padding: there 0 x Inf would be NaN.
template <typename Element, class Way, int VC>
__device__ __noinline__ void convolve_each(const PlaneShape& g, const Strip<Element>& strip, int T,
                                           int R, int S, int TW, const float (&bias)[VC]) {
  const int channels = g.channels;
  const int rows = Way::window(strip.rows / Way::kOut, R), cols = Way::window(TW, S);
  const int row0 = Way::first(strip.row, g.pad[1], R), col0 = Way::first(strip.col, g.pad[2], S);
  for (int i = 0; i < strip.rows; ++i)
    for (int j = 0; j < TW * Way::kOut; ++j) {
      const int row = strip.row + i, col = strip.col + j;
      if (row < 0 || row >= g.out[1] || col < 0 || col >= g.out[2]) continue;
      float sum[VC];
      for (int v = 0; v < VC; ++v) sum[v] = bias[v];
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

// Stages a block's filters and tells a thread's strip; false where it has none.
template <typename Element, class Way, int VC, int TW>
__device__ bool begin(const Pointers& p, const PlaneShape& g, const LastTiling& tiling, int taps,
                      Strip<Element>& strip, float (&bias)[VC]) {
  const int chunk = static_cast<int>(blockIdx.x % tiling.chunks);
  const int first = chunk * tiling.lanes * VC;
  const int pitch = tiling.lanes * VC + 4;
  float* const filters = shared_floats();
  stage_filters(static_cast<const Element*>(p.filter), g, first,
                min(tiling.lanes * VC, g.channels - first), taps, pitch, filters);
  __syncthreads();

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
  strip.row = tiling.row_start + next(tiling.bands) * tiling.rows * Way::kOut;
  strip.depth = next(g.out[0]);
  strip.rows = min(tiling.rows, (g.out[1] - strip.row + Way::kOut - 1) / Way::kOut) * Way::kOut;
  const long long image = position;
  const int channel = vector * VC;
  strip.in = static_cast<const Element*>(p.in) + channel +
             image * g.in[0] * g.in[1] * g.in[2] * g.channels;
  strip.out =
      static_cast<Element*>(p.out) + channel + image * g.out[0] * g.out[1] * g.out[2] * g.channels;
  strip.filter = filters + threadIdx.x * VC;
  strip.pitch = pitch;

  if (p.bias != nullptr) {
#pragma unroll
    for (int v = 0; v < VC; ++v)
      bias[v] = to_float(static_cast<const Element*>(p.bias)[channel + v]);
  }
  return true;
}

template <typename Element, class Way, int T, int R, int S, int VC, int TW, int U>
__device__ void convolve(const Pointers& p, const PlaneShape& g, const LastTiling& tiling) {
  using Values = Vector<Element, VC>;
  constexpr int kTaps = T * R * S, kSlots = Way::slots(R), kCols = Way::window(TW, S);
  constexpr int kOutCols = TW * Way::kOut;

  Strip<Element> strip;
  float bias[VC] = {};
  if (!begin<Element, Way, VC, TW>(p, g, tiling, kTaps, strip, bias)) return;
  float weights[kTaps][VC], probe = 0;
#pragma unroll
  for (int t = 0; t < kTaps; ++t) {
    Vector<float, VC % 4 == 0 ? 4 : VC> part;
#pragma unroll
    for (int v = 0; v < VC; v += 4) {
      float values[VC % 4 == 0 ? 4 : VC];
      part = part.load(strip.filter + t * strip.pitch + v);
      part.unpack(values);
#pragma unroll
      for (int i = 0; i < (VC % 4 == 0 ? 4 : VC); ++i) {
        weights[t][v + i] = values[i];
        probe = fmaf(values[i], 0.0f, probe);
      }
    }
  }
  // Zeros stand for the padding below.
  if (probe != 0) return convolve_each<Element, Way>(g, strip, T, R, S, TW, bias);

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

// With a filter of `R` rows, read from shared memory as they are taken, for a tile of TH rows.
template <typename Element, class Way, int S, int VC, int TW, int TH>
__device__ void convolve_by_rows(const Pointers& p, const PlaneShape& g, const LastTiling& tiling,
                                 int R) {
  using Values = Vector<Element, VC>;
  using Weights = Vector<float, VC>;
  constexpr int kCols = Way::window(TW, S);
  Strip<Element> strip;
  float bias[VC] = {};
  if (!begin<Element, Way, VC, TW>(p, g, tiling, R * S, strip, bias)) return;
  float probe = 0;
  for (int t = 0; t < R * S; ++t)
#pragma unroll
    for (int v = 0; v < VC; ++v) probe = fmaf(strip.filter[t * strip.pitch + v], 0.0f, probe);
  // Zeros stand for the padding below.
  if (probe != 0) return convolve_each<Element, Way>(g, strip, 1, R, S, TW, bias);

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
  extern "C" __global__ void __launch_bounds__(128)                                 \
      atc_depthwise_last_##dtype##_##T##x##R##x##S##_##way##_v##VC##_w##TW(         \
          const __grid_constant__ Pointers p, const __grid_constant__ PlaneShape g, \
          const __grid_constant__ LastTiling tiling) {                              \
    convolve<Element, Way, T, R, S, VC, TW, U>(p, g, tiling);                       \
  }
ATC_DEPTHWISE_LAST_FORMS(ATC_DEPTHWISE_LAST)

#define ATC_DEPTHWISE_LAST_ROW(dtype, Element, way, Way, S, VC, TW, TH)             \
  extern "C" __global__ void __launch_bounds__(128)                                 \
      atc_depthwise_last_rows_##dtype##_##S##_##way##_v##VC##_w##TW##_h##TH(        \
          const __grid_constant__ Pointers p, const __grid_constant__ PlaneShape g, \
          const __grid_constant__ LastTiling tiling, int R) {                       \
    convolve_by_rows<Element, Way, S, VC, TW, TH>(p, g, tiling, R);                 \
  }
ATC_DEPTHWISE_LAST_ROW_FORMS(ATC_DEPTHWISE_LAST_ROW)

}  // namespace atc::depthwise
