// Kernels that pack filters and kernels that add partials, for the engines `implicit` and
// `grouped`. Before forward and backward-data, a kernel packs the filters into rows of chunks of 16
// bytes. After backward-weight, a kernel adds the partials of all splits (split-K).
//
// Contract
//   pack         reads w with any strides (FilterView). For each phase it writes [group][output
//                channel][chunk] at g.phase_filter_bytes, aligned to 16 bytes
//   pack_raster  like pack, but writes [group][chunk][output channel], for wgmma
//   sum          reads the partials that a kernel of backward-weight wrote; adds them in a fixed
//                order; writes dw with any strides
//   sum_raster   like sum, but also reads x and dy: if a sum is NaN, it is computed again
//   block        kThreads threads; static shared memory
#include "engines/kernels/implicit/raster.hpp"
#include "engines/kernels/implicit/tile.cuh"

namespace atc::implicit {

namespace {

// The tap and the channel to which an element of a packed row of filters belongs. `channel` is
// counted within its group. If `valid` is false, the element belongs to no channel: it only fills
// up a chunk (16 bytes) and is zero.
struct Place {
  int r, s, channel;
  bool valid;
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
  place.valid = place.s < columns.taps && place.channel < g.group_in;
  return place;
}

// Returns the offset, in elements, of a filter element in the caller's memory. `k` is a channel of
// the tensor that is written, and `c` a channel of the tensor that is read, both counted within the
// group. (In backward-data, dy is read and dx is written.)
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
      static_cast<unsigned char*>(to) + g.phase_filter_bytes[phase_h * kMostPhases + phase_w]);
  for (long long i = blockIdx.x * static_cast<long long>(kThreads) + threadIdx.x;
       i < static_cast<long long>(all) * in_row;
       i += static_cast<long long>(gridDim.x) * kThreads) {
    const auto row = static_cast<int>(i / in_row);
    const Place place =
        place_of<kWidth>(g, columns, static_cast<int>(i - static_cast<long long>(row) * in_row));
    Element<kMath> value;
    from_float(0.0f, value);
    if (place.valid) {
      const int group = row / g.group_out;
      value = as_operand<kMath>(static_cast<const Element<kMath>*>(
          from)[offset_in(g, w, group, row - group * g.group_out, place.channel,
                          rows.filter_start + place.r * rows.filter_step,
                          columns.filter_start + place.s * columns.filter_step)]);
    }
    packed[i] = value;
  }
}

// Packs filters for wgmma, as [group][chunk][output channel]. A chunk is 16 bytes of K. A thread
// packs one chunk of one output channel. If w is dense, neighbouring threads read neighbouring
// elements of it.
template <Math kMath>
__device__ void pack_raster(const RasterGeometry& s, const FilterView& w, const void* from,
                            void* to) {
  constexpr int kWidth = Chunk<kMath>::kWidth;
  const Geometry& g = s.g;
  const int phase_h = static_cast<int>(blockIdx.y) / g.phases_w;
  const int phase_w = static_cast<int>(blockIdx.y) - phase_h * g.phases_w;
  const Axis &rows = g.rows[phase_h], &columns = g.columns[phase_w];
  const int taps = rows.taps * columns.taps, in_group = taps * g.tap_chunks * s.columns;
  auto* const packed = reinterpret_cast<uint4*>(
      static_cast<unsigned char*>(to) + g.phase_filter_bytes[phase_h * kMostPhases + phase_w]);
  const int inner = w.transposed ? s.columns : g.tap_chunks;
  const long long step = w.strides[w.transposed ? 0 : 1];
  for (long long i = blockIdx.x * static_cast<long long>(kThreads) + threadIdx.x;
       i < static_cast<long long>(g.groups) * in_group;
       i += static_cast<long long>(gridDim.x) * kThreads) {
    const auto group = static_cast<int>(i / in_group);
    const int in_memory = static_cast<int>(i - static_cast<long long>(group) * in_group);
    const int pair = in_memory / taps, tap = in_memory - pair * taps;
    const int slow = pair / inner, fast = pair - slow * inner;
    const int row = w.transposed ? fast : slow, chunk = w.transposed ? slow : fast;
    const int r = tap / columns.taps, channel = chunk * kWidth;
    const int count = row < g.group_out ? g.group_in - channel : 0;
    const auto* const filter =
        static_cast<const Element<kMath>*>(from) +
        offset_in(g, w, group, row, channel, rows.filter_start + r * rows.filter_step,
                  columns.filter_start + (tap - r * columns.taps) * columns.filter_step);
    Chunk<kMath> value;
#pragma unroll
    for (int k = 0; k < kWidth; ++k) {
      from_float(0.0f, value.elements[k]);
      if (k < count) value.elements[k] = as_operand<kMath>(filter[k * step]);
    }
    packed[static_cast<long long>(group) * in_group + (tap * g.tap_chunks + chunk) * s.columns +
           row] = value.words;
  }
}

// Computes one element of dw directly from x and dy, only over the pixels inside the images. All
// lanes of a warp must call this function together: each lane sums a part, and each lane gets the
// whole sum.
template <Math kMath>
__device__ float sum_directly(const Geometry& g, int images, int group, int row, const Place& place,
                              const Element<kMath>* x, const Element<kMath>* y) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const Axis &rows = g.rows[0], &columns = g.columns[0];
  x += static_cast<long long>(group * g.group_in + place.channel) * g.in.channel;
  y += static_cast<long long>(row) * g.out.channel;
  float sum = 0;
  for (int image = 0; image < images; ++image)
    for (int p = 0; p < rows.outputs; ++p) {
      const int h = p * g.step + rows.start + place.r * rows.spacing;
      for (int q = lane; q < columns.outputs; q += 32) {
        const int w = q * g.step + columns.start + place.s * columns.spacing;
        if (inside(g.in, h, w))
          sum = fmaf(
              to_float(
                  x[image * g.in.image + static_cast<long long>(h * g.in.width + w) * g.in.pixel]),
              to_float(y[image * g.out.image +
                         static_cast<long long>(p * g.out.width + q) * g.out.pixel]),
              sum);
      }
    }
  for (int other = 16; other > 0; other /= 2) sum += __shfl_xor_sync(~0u, sum, other);
  return sum;
}

// Adds the partials of all splits (split-K), always in the same order. A block computes 32
// elements; each of its 8 warps adds an eighth of the splits. If kMend is true, a sum that is NaN
// is computed again, only over the pixels inside the images. This removes each NaN that comes from
// multiplying zeros of padding by Inf.
template <Math kMath, bool kMend>
__device__ void reduce_split_k(const Geometry& g, int images, int splits, const FilterView& w,
                               const void* x, const void* y, const float* partials, void* to) {
  constexpr int kWidth = Chunk<kMath>::kWidth;
  __shared__ float shares[kWarps][32];
  const int in_row = chunks_of(g, g.rows[0], g.columns[0]) * kWidth;
  const long long all = static_cast<long long>(g.groups) * g.group_out * in_row;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const long long i = blockIdx.x * 32ll + lane;
  const int begin = warp * splits / kWarps, end = (warp + 1) * splits / kWarps;
  float sum = 0;
  if (i < all)
#pragma unroll 4
    for (int split = begin; split < end; ++split) sum += partials[split * all + i];
  shares[warp][lane] = sum;
  __syncthreads();
  if (warp != 0) return;
  for (int other = 1; other < kWarps; ++other) sum += shares[other][lane];
  const auto row = static_cast<int>(i / in_row);
  const Place place =
      place_of<kWidth>(g, g.columns[0], static_cast<int>(i - static_cast<long long>(row) * in_row));
  const bool valid = i < all && place.valid;
  if constexpr (kMend) {
    unsigned doubtful = __ballot_sync(~0u, static_cast<int>(valid && isnan(sum)));
    while (doubtful != 0) {
      const int at = __ffs(static_cast<int>(doubtful)) - 1;
      doubtful &= doubtful - 1;
      const Place its{__shfl_sync(~0u, place.r, at), __shfl_sync(~0u, place.s, at),
                      __shfl_sync(~0u, place.channel, at), true};
      const int its_row = __shfl_sync(~0u, row, at);
      const float right = sum_directly<kMath>(g, images, its_row / g.group_out, its_row, its,
                                              static_cast<const Element<kMath>*>(x),
                                              static_cast<const Element<kMath>*>(y));
      if (lane == at) sum = right;
    }
  }
  if (!valid) return;
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
    enable_sm80_or_later([&] { pack<Math::math>(g, w, from, to); });                               \
  }                                                                                                \
  extern "C" __global__ void __launch_bounds__(kThreads) atc_implicit_sum_##math(                  \
      const __grid_constant__ GradientGeometry g, const __grid_constant__ FilterView w,            \
      const void* partials, void* to) {                                                            \
    enable_sm80_or_later([&] {                                                                     \
      reduce_split_k<Math::math, false>(g.g, g.images, g.splits, w, nullptr, nullptr,              \
                                        static_cast<const float*>(partials), to);                  \
    });                                                                                            \
  }

ATC_IMPLICIT(f16)
ATC_IMPLICIT(bf16)
ATC_IMPLICIT(tf32)
ATC_IMPLICIT(fp32)

#undef ATC_IMPLICIT

#define ATC_IMPLICIT(math)                                                                \
  extern "C" __global__ void __launch_bounds__(kThreads) atc_implicit_pack_raster_##math( \
      const __grid_constant__ RasterGeometry s, const __grid_constant__ FilterView w,     \
      const void* from, void* to) {                                                       \
    enable_sm80_or_later([&] { pack_raster<Math::math>(s, w, from, to); });               \
  }

ATC_IMPLICIT(f16)
ATC_IMPLICIT(bf16)
ATC_IMPLICIT(tf32)

#undef ATC_IMPLICIT

#define ATC_IMPLICIT(math)                                                               \
  extern "C" __global__ void __launch_bounds__(kThreads) atc_implicit_sum_raster_##math( \
      const __grid_constant__ RasterGradient g, const __grid_constant__ FilterView w,    \
      const void* x, const void* y, const void* partials, void* to) {                    \
    enable_sm80_or_later([&] {                                                           \
      reduce_split_k<Math::math, true>(g.s.g, g.s.images, g.splits, w, x, y,             \
                                       static_cast<const float*>(partials), to);         \
    });                                                                                  \
  }

ATC_IMPLICIT(f16)
ATC_IMPLICIT(bf16)

#undef ATC_IMPLICIT

}  // namespace atc::implicit
