// Depthwise forward and backward-data, channels first, for whole planes. Planes follow one another
// in memory, so a block reads one span (contiguous elements) and writes one span. A span is copied
// to and from shared memory in pieces of 16 bytes, for any width of the planes. In shared memory,
// elements are fp32.
//
// Contract
//   in, out  dense tensors, channels first; aligned to 16 bytes
//   filter   dense, of the type of in. If a filter contains an Inf or NaN, its outputs are summed
//            tap by tap, without the taps that lie in padding
//   shared   4 * (tiling.tile_floats + 3) bytes for the span, then the filters of
//            tiling.group_planes planes
//   refused  dilation, strides other than 1 and 2 (geometry.cpp), tiles that need too much shared
//            memory (first_plans.cpp)
//
// A block loads its span of the input, and the filters. Each thread computes a tile of outputs by
// FFMA. Then the outputs overwrite the span of the input in shared memory, and are stored from
// there.
#include "engines/kernels/depthwise/arguments.hpp"
#include "engines/kernels/depthwise/copies.cuh"
#include "engines/kernels/depthwise/elements.cuh"
#include "engines/kernels/depthwise/first_forms.hpp"
#include "engines/kernels/depthwise/shared.cuh"
#include "engines/kernels/depthwise/ways.hpp"

namespace atc::depthwise {

namespace {

// The elements from `begin` to `end` - 1 of a tensor. They are copied in pieces of 16 bytes.
// `origin` is the first element of the piece that contains `begin`; shared memory begins with this
// element.
struct Span {
  long long begin, end, origin;
};

template <typename Element>
constexpr int kPerVector = 16 / static_cast<int>(sizeof(Element));

__device__ inline Span make_span(long long begin, long long end, int dtype) {
  const long long per_vector = static_cast<Dtype>(dtype) == Dtype::f32 ? 4 : 8;
  return {begin, end, begin & -per_vector};
}

// Starts to copy a span (contiguous elements) into shared memory, as fp32. Copies of fp32 elements
// are asynchronous: the caller must wait for them by cp_async_wait_group<0>().
template <int kInFlight, typename Element>
__device__ void copy_in(const Element* from, const Span& span, float* tile) {
  constexpr int kWidth = kPerVector<Element>;
  using Values = Vector<Element, kWidth>;
  const int length = static_cast<int>(span.end - span.origin), vectors = length / kWidth;
  from += span.origin;
  if constexpr (sizeof(Element) == sizeof(float)) {
    for (int i = threadIdx.x; i < vectors; i += blockDim.x)
      cp_async<16>(tile + i * kWidth, from + i * kWidth, true);
    cp_async_commit_group();
  } else {
    for (int i = threadIdx.x; i < vectors; i += kInFlight * blockDim.x) {
      Values values[kInFlight];
#pragma unroll
      for (int k = 0; k < kInFlight; ++k) {
        const int at = i + k * blockDim.x;
        values[k] = at < vectors ? Values::load(from + at * kWidth) : Values::zero();
      }
#pragma unroll
      for (int k = 0; k < kInFlight; ++k) {
        const int at = i + k * blockDim.x;
        float numbers[kWidth];
        values[k].unpack(numbers);
        if (at < vectors) {
#pragma unroll
          for (int j = 0; j < kWidth; j += 4)
            *reinterpret_cast<float4*>(tile + at * kWidth + j) =
                float4{numbers[j], numbers[j + 1], numbers[j + 2], numbers[j + 3]};
        }
      }
    }
  }
  for (int i = vectors * kWidth + threadIdx.x; i < length; i += blockDim.x)
    tile[i] = to_float(from[i]);
}

template <typename Element>
__device__ inline float finished(const Finish& finish, float sum, Element old) {
  if (finish.accumulate) sum += to_float(old);
  return finish.relu ? relu(sum) : sum;
}

template <typename Element>
__device__ void copy_out(const float* tile, const Span& span, const Finish& finish, Element* to) {
  constexpr int kWidth = kPerVector<Element>;
  using Values = Vector<Element, kWidth>;
  const int begin = static_cast<int>(span.begin - span.origin);
  const int end = static_cast<int>(span.end - span.origin);
  // The number of the first element at which a piece of 16 bytes of the span begins. (A span is the
  // contiguous elements that a block copies.)
  const int first = (begin + kWidth - 1) / kWidth * kWidth;
  const int last = end / kWidth * kWidth;
  to += span.origin;
  const auto one = [&](int i) {
    from_float(finished(finish, tile[i], finish.accumulate ? to[i] : Element{}), to[i]);
  };
  for (int i = begin + threadIdx.x; i < min(first, end); i += blockDim.x) one(i);
  for (int i = first + threadIdx.x * kWidth; i < last; i += blockDim.x * kWidth) {
    float sums[kWidth];
#pragma unroll
    for (int j = 0; j < kWidth; j += 4) {
      const float4 part = *reinterpret_cast<const float4*>(tile + i + j);
      sums[j] = part.x, sums[j + 1] = part.y, sums[j + 2] = part.z, sums[j + 3] = part.w;
    }
    if (finish.accumulate || finish.relu) {
      float old[kWidth] = {};
      if (finish.accumulate) Values::load(to + i).unpack(old);
#pragma unroll
      for (int j = 0; j < kWidth; ++j) {
        if (finish.accumulate) sums[j] += old[j];
        if (finish.relu) sums[j] = relu(sums[j]);
      }
    }
    Values::pack(sums).store(to + i);
  }
  for (int i = max(first, last) + threadIdx.x; i < end; i += blockDim.x) one(i);
}

struct Split {
  int quotient, remainder;
};

// Divides `value` by `by`, and returns quotient and remainder. The divisor 1 is treated separately,
// because it is frequent. All threads have the same divisor, so they take the same branch.
__device__ inline Split split(int value, int by) {
  if (by == 1) return {value, 0};
  const int quotient = static_cast<int>(static_cast<unsigned>(value) / static_cast<unsigned>(by));
  return {quotient, value - quotient * by};
}

// The planes, rows and columns that a block computes, and its spans (contiguous elements) of `in`
// and `out`.
struct Block {
  // The first plane of the block, the number of its planes, and the channel of the first plane.
  int plane, planes, channel;
  // The block's first segment (rows of a tile) and its first strip (columns of a tile).
  int segment, strip;
  int segments_end, strips_end;
  Span in, out;
};

__device__ inline int clamp_to(int value, int end) { return min(max(value, 0), end); }

template <class Way, int TH, int TW>
__device__ Block block_of(const PlaneShape& g, const FirstTiling& tiling, int depth_taps,
                          int row_taps, int col_taps) {
  constexpr int kRows = TH * Way::kOut, kCols = TW * Way::kOut;
  Block block;
  const Split by_chunk = split(static_cast<int>(blockIdx.x), tiling.chunks);
  const Split by_band = split(by_chunk.quotient, tiling.bands);
  block.plane = by_band.quotient * tiling.group_planes;
  block.planes = min(tiling.group_planes, g.planes - block.plane);
  block.channel = split(block.plane, g.channels).remainder;
  block.segment = by_band.remainder * tiling.band_segments;
  block.strip = by_chunk.remainder * tiling.chunk_strips;
  block.segments_end = min(block.segment + tiling.band_segments, tiling.segments * g.out[0]);
  block.strips_end = min(block.strip + tiling.chunk_strips, tiling.strips);

  // out[d] is the range of outputs that the block computes in dimension d. in[d] is the range of
  // inputs that these outputs read. The block's span is the contiguous elements of a tensor that
  // the block copies. It begins with the first element of the ranges in the block's first plane,
  // and ends with the last element of the ranges in the block's last plane.
  int out[3][2] = {{0, 1}, {0, g.out[1]}, {0, g.out[2]}};
  if (g.out[0] > 1) {
    out[0][0] = split(block.segment, tiling.segments).quotient;
    out[0][1] = split(block.segments_end - 1, tiling.segments).quotient + 1;
  }
  if (out[0][1] - out[0][0] == 1) {
    const int before = out[0][0] * tiling.segments;
    out[1][0] = clamp_to(tiling.row_start + (block.segment - before) * kRows, g.out[1]);
    out[1][1] = clamp_to(tiling.row_start + (block.segments_end - before) * kRows, g.out[1]);
  }
  if (tiling.chunks > 1) {
    out[2][0] = clamp_to(tiling.col_start + block.strip * kCols, g.out[2]);
    out[2][1] = clamp_to(tiling.col_start + block.strips_end * kCols, g.out[2]);
  }
  int in[3][2] = {{0, g.in[0]}, {0, g.in[1]}, {0, g.in[2]}};
  in[0][0] = clamp_to(out[0][0] - g.pad[0], g.in[0]);
  in[0][1] = clamp_to(out[0][1] - 1 - g.pad[0] + depth_taps, g.in[0]);
  if (out[0][1] - out[0][0] == 1 && depth_taps == 1) {
    const int units = (out[1][1] - out[1][0] + 2 * Way::kOut - 2) / Way::kOut;
    const int row = Way::first(out[1][0], g.pad[1], row_taps);
    in[1][0] = clamp_to(row, g.in[1]);
    in[1][1] = clamp_to(row + Way::window(units, row_taps), g.in[1]);
  }
  if (tiling.chunks > 1) {
    const int units = (out[2][1] - out[2][0] + 2 * Way::kOut - 2) / Way::kOut;
    const int col = Way::first(out[2][0], g.pad[2], col_taps);
    in[2][0] = clamp_to(col, g.in[2]);
    in[2][1] = clamp_to(col + Way::window(units, col_taps), g.in[2]);
  }
  const auto span = [&](const int(&extents)[3], const int(&at)[3][2]) -> Span {
    const long long volume = static_cast<long long>(extents[0]) * extents[1] * extents[2];
    if (at[0][0] >= at[0][1] || at[1][0] >= at[1][1] || at[2][0] >= at[2][1]) return Span{};
    const long long begin =
        block.plane * volume + (at[0][0] * extents[1] + at[1][0]) * extents[2] + at[2][0];
    const long long end = (block.plane + block.planes - 1) * volume +
                          ((at[0][1] - 1) * extents[1] + at[1][1] - 1) * extents[2] + at[2][1];
    return make_span(begin, end, g.finish.dtype);
  };
  block.in = span(g.in, in);
  block.out = span(g.out, out);
  return block;
}

// Returns the channel of the block's plane number `plane`.
__device__ inline int channel_of(const PlaneShape& g, const Block& block, int plane) {
  const int channel = block.channel + plane;
  return channel < g.channels ? channel : channel % g.channels;
}

// Copies the filters of a block's planes into shared memory, one filter after the other. In shared
// memory, the taps of a filter are in the order in which their products are summed.
template <int kInFlight>
__device__ void stage_filters(const Pointers& p, const PlaneShape& g, const Block& block, int taps,
                              float* to) {
  with_element(g.finish.dtype, [&](auto element) {
    const auto* const filter = static_cast<const decltype(element)*>(p.filter);
    const int count = block.planes * taps;
    for (int i = threadIdx.x; i < count; i += kInFlight * blockDim.x) {
      decltype(element) values[kInFlight];
      int at[kInFlight];
#pragma unroll
      for (int k = 0; k < kInFlight; ++k) {
        const int place = min(i + k * static_cast<int>(blockDim.x), count - 1);
        const int plane = place / taps, t = place - plane * taps;
        at[k] = plane * taps + stored_tap(t, taps, g.flipped);
        values[k] = filter[static_cast<long long>(channel_of(g, block, plane)) * taps + t];
      }
#pragma unroll
      for (int k = 0; k < kInFlight; ++k) to[at[k]] = to_float(values[k]);
    }
  });
}

__device__ inline float bias_of(const Pointers& p, const PlaneShape& g, int channel) {
  float bias = 0;
  if (p.bias != nullptr)
    with_element(g.finish.dtype, [&](auto element) {
      bias = to_float(static_cast<const decltype(element)*>(p.bias)[channel]);
    });
  return bias;
}

// The tile of a thread: its first output, and the place of the inputs that the tile reads (its
// window).
template <class Way, int TH, int TW>
struct Tile {
  static constexpr int kRows = TH * Way::kOut, kCols = TW * Way::kOut;
  // `plane` is the number of the plane within the block; `row` and `col` are the place of the
  // tile's first output.
  int plane, depth, row, col;
  // The first row and the first column of the tile's window of inputs.
  int in_row, in_col;
  bool exists;

  __device__ Tile(const PlaneShape& g, const FirstTiling& tiling, const Block& block, int row_taps,
                  int col_taps) {
    const Split by_strip = split(static_cast<int>(threadIdx.x), tiling.chunk_strips);
    const Split by_segment = split(by_strip.quotient, tiling.band_segments);
    const int segment = block.segment + by_segment.remainder;
    const int strip = block.strip + by_strip.remainder;
    plane = by_segment.quotient;
    exists = plane < block.planes && segment < block.segments_end && strip < block.strips_end;
    const Split by_slice = g.out[0] > 1 ? split(segment, tiling.segments) : Split{0, segment};
    depth = by_slice.quotient;
    row = tiling.row_start + by_slice.remainder * kRows;
    col = tiling.col_start + strip * kCols;
    in_row = Way::first(row, g.pad[1], row_taps);
    in_col = Way::first(col, g.pad[2], col_taps);
  }
  // Returns the index in shared memory of the input at depth d, row h and column w of the tile's
  // plane.
  __device__ int at(const PlaneShape& g, const Block& block, int d, int h, int w) const {
    const long long volume = static_cast<long long>(g.in[0]) * g.in[1] * g.in[2];
    return static_cast<int>((block.plane + plane) * volume - block.in.origin) +
           (d * g.in[1] + h) * g.in[2] + w;
  }
};

// Computes the sums tap by tap and leaves out the taps that lie in padding. This function is used
// if a filter contains an Inf or NaN, because 0 x Inf would be NaN.
template <class Way, int TH, int TW>
__device__ void sum_each(const PlaneShape& g, const Block& block, const Tile<Way, TH, TW>& tile,
                         const float* in, const float* filter, int T, int R, int S,
                         float (&sums)[TH * Way::kOut][TW * Way::kOut]) {
#pragma unroll
  for (int i = 0; i < TH * Way::kOut; ++i)
#pragma unroll
    for (int j = 0; j < TW * Way::kOut; ++j) {
      float sum = 0;
#pragma unroll 1
      for (int t = 0; t < T; ++t)
#pragma unroll 1
        for (int k = 0; k < Way::window(TH, R); ++k)
#pragma unroll 1
          for (int l = 0; l < Way::window(TW, S); ++l) {
            const int r = Way::tap(i, k, R), s = Way::tap(j, l, S);
            const int d = tile.depth - g.pad[0] + t, h = tile.in_row + k, w = tile.in_col + l;
            if (r >= 0 && r < R && s >= 0 && s < S && d >= 0 && d < g.in[0] && h >= 0 &&
                h < g.in[1] && w >= 0 && w < g.in[2])
              sum = fmaf(in[tile.at(g, block, d, h, w)], filter[(t * R + r) * S + s], sum);
          }
      sums[i][j] = sum;
    }
}

// Returns a mask: bit l is set if column first + l of a window is inside of the image.
template <int kCount>
__device__ inline unsigned long long columns_inside(int first, int extent) {
  unsigned long long inside = 0;
#pragma unroll
  for (int l = 0; l < kCount; ++l)
    inside |= static_cast<unsigned long long>(first + l >= 0 && first + l < extent) << l;
  return inside;
}

template <int kCount>
__device__ inline void load_row(const float* from, unsigned long long inside,
                                float (&values)[kCount]) {
  const auto low = static_cast<unsigned>(inside);
  const auto high = static_cast<unsigned>(inside >> 32);
#pragma unroll
  for (int l = 0; l < kCount; ++l)
    values[l] = ((l < 32 ? low : high) >> (l & 31) & 1) != 0 ? from[l] : 0.0f;
}

template <class Way, int T, int R, int S, int TH, int TW>
__device__ void sum_tile(const PlaneShape& g, const Block& block, const Tile<Way, TH, TW>& tile,
                         const float* in, const float* filter,
                         float (&sums)[TH * Way::kOut][TW * Way::kOut]) {
  constexpr int kWindowRows = Way::window(TH, R), kWindowCols = Way::window(TW, S);
  float weights[T * R * S], probe = 0;
#pragma unroll
  for (int t = 0; t < T * R * S; ++t) {
    weights[t] = filter[t];
    probe = fmaf(weights[t], 0.0f, probe);
  }
  // If a weight is Inf or NaN, the sums are computed tap by tap. The code after this branch
  // multiplies padding, as zeros. This is only right for finite weights, because 0 x Inf is NaN.
  if (probe != 0) return sum_each(g, block, tile, in, filter, T, R, S, sums);
  const unsigned long long inside = columns_inside<kWindowCols>(tile.in_col, g.in[2]);
#pragma unroll
  for (int t = 0; t < T; ++t) {
    const int d = T == 1 ? tile.depth : tile.depth - g.pad[0] + t;
    if (T != 1 && (d < 0 || d >= g.in[0])) continue;
    const float* row = in + tile.at(g, block, d, tile.in_row, tile.in_col);
#pragma unroll
    for (int k = 0; k < kWindowRows; ++k, row += g.in[2]) {
      if (tile.in_row + k < 0 || tile.in_row + k >= g.in[1]) continue;
      float values[kWindowCols];
      load_row(row, inside, values);
#pragma unroll
      for (int i = 0; i < TH * Way::kOut; ++i)
#pragma unroll
        for (int l = 0; l < kWindowCols; ++l)
#pragma unroll
          for (int j = 0; j < TW * Way::kOut; ++j) {
            const int r = Way::tap(i, k, R), s = Way::tap(j, l, S);
            if (r >= 0 && r < R && s >= 0 && s < S)
              sums[i][j] = fmaf(values[l], weights[(t * R + r) * S + s], sums[i][j]);
          }
    }
  }
}

// Computes the sums of a tile for a filter of `R` rows. Only one row of the filter is in registers
// at a time, so the filter may be large.
template <class Way, int S, int TH, int TW>
__device__ void sum_tile_by_rows(const PlaneShape& g, const Block& block,
                                 const Tile<Way, TH, TW>& tile, const float* in,
                                 const float* filter, int R, float (&sums)[TH][TW]) {
  constexpr int kWindowCols = Way::window(TW, S);
  float probe = 0;
#pragma unroll 4
  for (int t = 0; t < R * S; ++t) probe = fmaf(filter[t], 0.0f, probe);
  if (probe != 0) return sum_each(g, block, tile, in, filter, 1, R, S, sums);
  const unsigned long long inside = columns_inside<kWindowCols>(tile.in_col, g.in[2]);
#pragma unroll 1
  for (int r = 0; r < R; ++r) {
    float weights[S];
#pragma unroll
    for (int s = 0; s < S; ++s) weights[s] = filter[r * S + s];
#pragma unroll
    for (int i = 0; i < TH; ++i) {
      const int h = tile.in_row + i * Way::kIn + r;
      if (h < 0 || h >= g.in[1]) continue;
      float values[kWindowCols];
      load_row(in + tile.at(g, block, 0, h, tile.in_col), inside, values);
#pragma unroll
      for (int j = 0; j < TW; ++j)
#pragma unroll
        for (int s = 0; s < S; ++s)
          sums[i][j] = fmaf(values[j * Way::kIn + s], weights[s], sums[i][j]);
    }
  }
}

// The whole kernel: loads the block's contiguous elements of the input and its filters, calls
// sum(block, tile, in, filter, sums) for the tile of each thread, and stores the outputs. T, R and
// S are the depth, height and width of the filter.
template <class Way, int TH, int TW, typename Sum>
__device__ void convolve(const Pointers& p, const PlaneShape& g, const FirstTiling& tiling, int T,
                         int R, int S, Sum sum) {
  using ThreadTile = Tile<Way, TH, TW>;
  // True if the tile of a thread is large. Then each thread issues more loads at once.
  constexpr bool kHeavy = TH * TW >= 28;
  float* const shared = shared_floats();
  float* const filters = shared + tiling.tile_floats;
  const Block block = block_of<Way, TH, TW>(g, tiling, T, R, S);
  with_element(g.finish.dtype, [&](auto element) {
    copy_in<kHeavy ? 8 : 2>(static_cast<const decltype(element)*>(p.in), block.in, shared);
  });
  stage_filters<kHeavy ? 8 : 1>(p, g, block, T * R * S, filters);
  const ThreadTile tile(g, tiling, block, R, S);
  cp_async_wait_group<0>();
  __syncthreads();

  float sums[ThreadTile::kRows][ThreadTile::kCols] = {};
  float bias = 0;
  if (tile.exists) {
    bias = bias_of(p, g, channel_of(g, block, tile.plane));
    sum(block, tile, shared, filters + tile.plane * T * R * S, sums);
  }
  // This barrier waits until all threads have read their inputs, because the outputs overwrite the
  // inputs in shared memory.
  __syncthreads();
  if (tile.exists) {
    const long long volume = static_cast<long long>(g.out[0]) * g.out[1] * g.out[2];
    float* to = shared + static_cast<int>((block.plane + tile.plane) * volume - block.out.origin) +
                (tile.depth * g.out[1] + tile.row) * g.out[2] + tile.col;
    const int left = -tile.col, right = g.out[2] - tile.col;
#pragma unroll
    for (int i = 0; i < ThreadTile::kRows; ++i, to += g.out[2]) {
      if (tile.row + i < 0 || tile.row + i >= g.out[1]) continue;
#pragma unroll
      for (int j = 0; j < ThreadTile::kCols; ++j)
        if ((Way::kOut == 1 || j >= left) && j < right) to[j] = sums[i][j] + bias;
    }
  }
  __syncthreads();
  with_element(g.finish.dtype, [&](auto element) {
    copy_out(shared, block.out, g.finish, static_cast<decltype(element)*>(p.out));
  });
}

}  // namespace

#define ATC_DEPTHWISE_FIRST(way, Way, T, R, S, TH, TW)                                             \
  extern "C" __global__ void __launch_bounds__(256)                                                \
      atc_depthwise_first_##T##x##R##x##S##_##way##_h##TH##_w##TW(                                 \
          const __grid_constant__ Pointers p, const __grid_constant__ PlaneShape g,                \
          const __grid_constant__ FirstTiling tiling) {                                            \
    convolve<Way, TH, TW>(p, g, tiling, T, R, S,                                                   \
                          [&](const Block& block, const Tile<Way, TH, TW>& tile, const float* in,  \
                              const float* filter, float(&sums)[TH * Way::kOut][TW * Way::kOut]) { \
                            sum_tile<Way, T, R, S>(g, block, tile, in, filter, sums);              \
                          });                                                                      \
  }
ATC_DEPTHWISE_FIRST_FORMS(ATC_DEPTHWISE_FIRST)

#define ATC_DEPTHWISE_FIRST_ROW(way, Way, S, TH, TW)                                              \
  extern "C" __global__ void __launch_bounds__(256)                                               \
      atc_depthwise_first_rows_##S##_##way##_h##TH##_w##TW(                                       \
          const __grid_constant__ Pointers p, const __grid_constant__ PlaneShape g,               \
          const __grid_constant__ FirstTiling tiling, int R) {                                    \
    convolve<Way, TH, TW>(p, g, tiling, 1, R, S,                                                  \
                          [&](const Block& block, const Tile<Way, TH, TW>& tile, const float* in, \
                              const float* filter, float(&sums)[TH][TW]) {                        \
                            sum_tile_by_rows<Way, S>(g, block, tile, in, filter, R, sums);        \
                          });                                                                     \
  }
ATC_DEPTHWISE_FIRST_ROW_FORMS(ATC_DEPTHWISE_FIRST_ROW)

}  // namespace atc::depthwise
