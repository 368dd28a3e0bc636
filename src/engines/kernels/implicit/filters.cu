// Filters on their way into rows of chunks, and sums of gradients' parts on their way back.
#include "engines/kernels/implicit/tile.cuh"

namespace atc::implicit {

namespace {

// What element `i` of a row of chunks is: a tap and a channel of the group, or nothing.
struct Place {
  int r, s, channel;
  bool real;
};

template <int kWidth>
__device__ Place place_of(const Geometry& g, const Axis& columns, int i) {
  const int chunk = i / kWidth, in_chunk = i - chunk * kWidth;
  Place place;
  if (g.paired) {
    const int in_row = (columns.taps + 1) / 2;
    place.r = chunk / in_row;
    place.s = (chunk - place.r * in_row) * 2 + in_chunk / 4;
    place.channel = in_chunk % 4;
  } else {
    const int tap = chunk / g.tap_chunks;
    place.r = tap / columns.taps;
    place.s = tap - place.r * columns.taps;
    place.channel = (chunk - tap * g.tap_chunks) * kWidth + in_chunk;
  }
  place.real = place.s < columns.taps && place.channel < g.group_in;
  return place;
}

// Of the filter of output channel `k` of the problem, as seen from this direction of the data.
__device__ long long offset_in(const Geometry& g, const FilterView& w, int group, int k, int c,
                               int r, int s) {
  const int outer = w.transposed ? group * g.group_in + c : group * g.group_out + k;
  const int inner = w.transposed ? k : c;
  return outer * w.strides[0] + inner * w.strides[1] + r * w.strides[2] + s * w.strides[3];
}

template <Math kMath>
__device__ void pack(const Geometry& g, const FilterView& w, const void* from, void* to) {
  constexpr int kWidth = Chunk<kMath>::kWidth;
  const int phase_h = static_cast<int>(blockIdx.y) / g.phases_w;
  const int phase_w = static_cast<int>(blockIdx.y) - phase_h * g.phases_w;
  const Axis &rows = g.rows[phase_h], &columns = g.columns[phase_w];
  const int in_row = chunks_of(g, rows, columns) * kWidth;
  const int all = g.groups * g.group_out;
  auto* const packed = reinterpret_cast<Element<kMath>*>(
      static_cast<unsigned char*>(to) + g.phase_filters[phase_h * kMostPhases + phase_w]);
  for (long long i = blockIdx.x * static_cast<long long>(kThreads) + threadIdx.x;
       i < static_cast<long long>(all) * in_row;
       i += static_cast<long long>(gridDim.x) * kThreads) {
    const auto row = static_cast<int>(i / in_row);
    const Place place =
        place_of<kWidth>(g, columns, static_cast<int>(i - static_cast<long long>(row) * in_row));
    Element<kMath> value;
    from_float(0.0f, value);
    if (place.real) {
      const int group = row / g.group_out;
      value = as_factor<kMath>(static_cast<const Element<kMath>*>(
          from)[offset_in(g, w, group, row - group * g.group_out, place.channel,
                          rows.filter_start + place.r * rows.filter_step,
                          columns.filter_start + place.s * columns.filter_step)]);
    }
    packed[i] = value;
  }
}

// Adds the parts of all splits, in order: a block has 32 elements, a warp an eighth of the splits.
template <Math kMath>
__device__ void sum_parts(const GradientGeometry& gradient, const FilterView& w, const float* parts,
                          void* to) {
  constexpr int kWidth = Chunk<kMath>::kWidth;
  __shared__ float shares[kWarps][32];
  const Geometry& g = gradient.g;
  const int in_row = chunks_of(g, g.rows[0], g.columns[0]) * kWidth;
  const long long all = static_cast<long long>(g.groups) * g.group_out * in_row;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const long long i = blockIdx.x * 32ll + lane;
  const int begin = warp * gradient.splits / kWarps, end = (warp + 1) * gradient.splits / kWarps;
  float sum = 0;
  if (i < all)
#pragma unroll 4
    for (int split = begin; split < end; ++split) sum += parts[split * all + i];
  shares[warp][lane] = sum;
  __syncthreads();
  if (warp != 0 || i >= all) return;
  for (int other = 1; other < kWarps; ++other) sum += shares[other][lane];
  const auto row = static_cast<int>(i / in_row);
  const Place place =
      place_of<kWidth>(g, g.columns[0], static_cast<int>(i - static_cast<long long>(row) * in_row));
  if (!place.real) return;
  const int group = row / g.group_out;
  from_float(
      sum,
      static_cast<Element<kMath>*>(
          to)[offset_in(g, w, group, row - group * g.group_out, place.channel, place.r, place.s)]);
}

}  // namespace

#define ATC_IMPLICIT(math)                                                                         \
  extern "C" __global__ void __launch_bounds__(kThreads)                                           \
      atc_implicit_pack_##math(const __grid_constant__ Geometry g,                                 \
                               const __grid_constant__ FilterView w, const void* from, void* to) { \
    where_possible([&] { pack<Math::math>(g, w, from, to); });                                     \
  }                                                                                                \
  extern "C" __global__ void __launch_bounds__(kThreads)                                           \
      atc_implicit_sum_##math(const __grid_constant__ GradientGeometry g,                          \
                              const __grid_constant__ FilterView w, const void* parts, void* to) { \
    where_possible([&] { sum_parts<Math::math>(g, w, static_cast<const float*>(parts), to); });    \
  }

ATC_IMPLICIT(f16)
ATC_IMPLICIT(bf16)
ATC_IMPLICIT(tf32)
ATC_IMPLICIT(fp32)

#undef ATC_IMPLICIT

}  // namespace atc::implicit
