// Depthwise forward and backward-data of stride 1, channels first. A row consists of whole vectors
// (a few neighbouring columns), and outputs are as wide as inputs. A lane has one vector, and
// several lanes of a warp share a row. These lanes go down a band of rows together. Several rows of
// outputs are incomplete at a time; a ring of accumulators has them. So each row of the input is
// read once. A row is copied to shared memory kAhead steps before it is used.
//
// Contract
//   in, out  dense tensors, channels first, aligned to a vector; outputs are as wide as inputs
//   filter   dense, of the type of in. If a filter contains an Inf or NaN, its outputs are summed
//            tap by tap, without the taps that lie in padding
//   shared   static: for each thread, the vectors of kAhead + 1 steps
//   refused  dilation, other strides, filters that first_ahead_forms.hpp does not list
#include "engines/kernels/depthwise/arguments.hpp"
#include "engines/kernels/depthwise/copies.cuh"
#include "engines/kernels/depthwise/elements.cuh"
#include "engines/kernels/depthwise/first_ahead_forms.hpp"
#include "engines/kernels/depthwise/shared.cuh"

namespace atc::depthwise {

namespace {

// The number of steps from the start of a row's copy to its use.
constexpr int kAhead = 5;

// The outputs that a thread computes: the columns of its vector in the rows of a band.
template <typename Element>
struct Band {
  const Element* in;  // the plane of `in`
  Element* out;
  const Element* filter;  // the address of the filter of the plane's channel
  float bias;
  // The first row of outputs that the thread computes, and the number of these rows.
  int row, rows;
  int column;  // the first column
};

template <typename Element, int V>
__device__ void finish(const Finish& finish, float (&sums)[V], Element* to) {
  using Values = Vector<Element, V>;
  if (finish.accumulate) {
    float old[V];
    Values::load(to).unpack(old);
#pragma unroll
    for (int j = 0; j < V; ++j) sums[j] += old[j];
  }
  if (finish.relu) {
#pragma unroll
    for (int j = 0; j < V; ++j) sums[j] = relu(sums[j]);
  }
  Values::pack(sums).store(to);
}

// Computes the outputs tap by tap and leaves out the taps that lie in padding. This function is
// used if a filter contains an Inf or NaN, because 0 x Inf would be NaN.
template <int R, int V, typename Element>
__device__ __noinline__ void convolve_each(const PlaneShape& g, Band<Element> band) {
#pragma unroll 1
  for (int i = 0; i < band.rows; ++i) {
    float sums[V];
#pragma unroll 1
    for (int j = 0; j < V; ++j) {
      sums[j] = band.bias;
#pragma unroll 1
      for (int t = 0; t < R * R; ++t) {
        const int h = band.row + i - g.pad[1] + t / R, w = band.column + j - g.pad[2] + t % R;
        if (h >= 0 && h < g.in[1] && w >= 0 && w < g.in[2])
          sums[j] = fmaf(to_float(band.in[h * g.in[2] + w]),
                         to_float(band.filter[stored_tap(t, R * R, g.flipped)]), sums[j]);
      }
    }
    finish<Element, V>(g.finish, sums, band.out + (band.row + i) * g.out[2] + band.column);
  }
}

template <typename Element, int R, int V>
__device__ void convolve(const Pointers& p, const PlaneShape& g, const RowTiling& tiling) {
  using Values = Vector<Element, V>;
  constexpr int kBytes = V * static_cast<int>(sizeof(Element)), kHalo = R / 2;
  constexpr int kStep = kBytes * kRowThreads;
  static_assert(kHalo <= V, "a halo is of the next lane");
  __shared__ uint4 memory[(kAhead + 1) * kStep / sizeof(uint4)];
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int group = lane / tiling.lanes, place = lane - group * tiling.lanes;
  const unsigned warp = blockIdx.x * (kRowThreads / 32) + threadIdx.x / 32;
  const unsigned task = warp * tiling.groups + group;
  if (group >= tiling.groups || task >= tiling.tasks) return;
  const unsigned lanes = (tiling.lanes == 32 ? ~0u : (1u << tiling.lanes) - 1)
                         // A mask with one bit for each lane that shares the row with this lane.
                         << group * tiling.lanes;

  const int plane = static_cast<int>(task / tiling.bands), channel = plane % g.channels;
  Band<Element> band;
  band.in = static_cast<const Element*>(p.in) + static_cast<long long>(plane) * g.in[1] * g.in[2];
  band.out = static_cast<Element*>(p.out) + static_cast<long long>(plane) * g.out[1] * g.out[2];
  band.filter = static_cast<const Element*>(p.filter) + static_cast<long long>(channel) * (R * R);
  band.bias = p.bias == nullptr ? 0.0f : to_float(static_cast<const Element*>(p.bias)[channel]);
  band.row = static_cast<int>(task % tiling.bands) * tiling.band_rows;
  band.rows = min(tiling.band_rows, g.out[1] - band.row);
  band.column = place * V;

  // A thread goes down a band of rows, step by step. R is the number of rows of a filter. Step s
  // adds the products of one row of the input, and completes the row of outputs number s - (R - 1)
  // of the band. In the steps before `first`, and from `end` on, this row of the input lies in
  // padding, and nothing is added.
  const int steps = band.rows + R - 1, row0 = band.row - g.pad[1];
  const int first = min(steps, max(0, -row0));
  const int end = max(first, min(steps, g.in[1] - row0));
  const Element* next = band.in + (row0 + first) * g.in[2] + band.column;
  unsigned char* const own = reinterpret_cast<unsigned char*>(memory) + threadIdx.x * kBytes;
  const bool has_left = place > 0, has_right = place < tiling.lanes - 1;
  const int left = has_left ? -kBytes : 0, right = has_right ? kBytes : 0;
  int asked = 0, unasked = end - first;
  const auto ask = [&] {
    if (unasked > 0) cp_async<kBytes>(own + asked, next, true);
    cp_async_commit_group();
    --unasked;
    next += g.in[2];
    asked = asked == kAhead * kStep ? 0 : asked + kStep;
  };
#pragma unroll
  for (int i = 0; i < kAhead; ++i) ask();

  float weights[R * R], probe = 0;
#pragma unroll
  for (int t = 0; t < R * R; ++t) {
    weights[t] = to_float(band.filter[stored_tap(t, R * R, g.flipped)]);
    probe = fmaf(weights[t], 0.0f, probe);
  }
  // If a weight is Inf or NaN, the sums are computed tap by tap. The code after this branch
  // multiplies padding, as zeros. This is only right for finite weights, because 0 x Inf is NaN.
  if (probe != 0) {
    cp_async_wait_group<0>();
    return convolve_each<R, V>(g, band);
  }

  // The sums of R rows of outputs. The row sums[a] is complete after R - 1 - a more steps.
  float sums[R][V];
#pragma unroll
  for (int a = 0; a < R; ++a)
#pragma unroll
    for (int j = 0; j < V; ++j) sums[a][j] = band.bias;
  Element* to = band.out + (band.row - (R - 1)) * g.out[2] + band.column;
  const auto complete = [&](int step) {
    if (step >= R - 1) finish<Element, V>(g.finish, sums[R - 1], to);
    to += g.out[2];
#pragma unroll
    for (int a = R - 1; a > 0; --a)
#pragma unroll
      for (int j = 0; j < V; ++j) sums[a][j] = sums[a - 1][j];
#pragma unroll
    for (int j = 0; j < V; ++j) sums[0][j] = band.bias;
  };
  int step = 0;
#pragma unroll 1
  for (; step < first; ++step) complete(step);
#pragma unroll 1
  for (; step < end; ++step) {
    cp_async_wait_group<kAhead - 1>();
    __syncwarp(lanes);
    const unsigned char* const here = own + (asked == kAhead * kStep ? 0 : asked + kStep);
    ask();
    const auto load = [&](int offset, float(&numbers)[V]) {
      Values::load(reinterpret_cast<const Element*>(here + offset)).unpack(numbers);
    };
    float before[V], middle[V], after[V], values[V + 2 * kHalo];
    load(left, before);
    load(0, middle);
    load(right, after);
#pragma unroll
    for (int j = 0; j < V; ++j) values[kHalo + j] = middle[j];
#pragma unroll
    for (int j = 0; j < kHalo; ++j) {
      values[j] = has_left ? before[V - kHalo + j] : 0.0f;
      values[kHalo + V + j] = has_right ? after[j] : 0.0f;
    }
#pragma unroll
    for (int a = R - 1; a >= 0; --a)
#pragma unroll
      for (int s = 0; s < R; ++s)
#pragma unroll
        for (int j = 0; j < V; ++j)
          sums[a][j] = fmaf(values[j + s], weights[a * R + s], sums[a][j]);
    complete(step);
  }
#pragma unroll 1
  for (; step < steps; ++step) complete(step);
}

}  // namespace

#define ATC_DEPTHWISE_ROWS(dtype, Element, R, V, BLOCKS)                                        \
  extern "C" __global__ void __launch_bounds__(kRowThreads, BLOCKS)                             \
      atc_depthwise_rows_##dtype##_##R##x##R##_v##V(const __grid_constant__ Pointers p,         \
                                                    const __grid_constant__ PlaneShape g,       \
                                                    const __grid_constant__ RowTiling tiling) { \
    convolve<Element, R, V>(p, g, tiling);                                                      \
  }
ATC_DEPTHWISE_ROWS_FORMS(ATC_DEPTHWISE_ROWS)

}  // namespace atc::depthwise
