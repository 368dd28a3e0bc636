// This kernel computes backward-data for first layers (up to four input channels), for any stride.
// It uses tensor cores (mma.sync) or, for fp32, FFMA.
//
// For each row of dy:  products[tap, pixel] = sum over k of w[k, tap] * dy[k, pixel]
// then                 dx[c, pixel of the tap] += products[tap, pixel]
//
// In the matrix product, M is the elements of a filter (taps x input channels), N is pixels of a
// row of dy, and K is output channels. Each product belongs to one pixel of dx. A block computes a
// tile of dx and goes down the rows of dy that contribute to it. It adds the products, always in
// the same order, to a ring of rows of dx in shared memory. Each column of the ring is summed by
// one thread.
//
// Contract
//   y, x     dense tensors; y is the gradient of the outputs, x the gradient of the inputs. Rows of
//            y are copied in pieces of s.copy_bytes (16, 8 or 4) and are aligned to as many bytes.
//            If s.copy_bytes is 0, elements are copied one by one
//   w        any strides (Filters)
//   bias     of the type of x; not read unless g.has_bias is set
//   refused  the problems that `objection` in shape.cpp refuses
//
// Shared memory, by offset in bytes
//   0              8 bytes for each element of a filter: its offset in w
//   s.filters_at   operand A, in the order in which lanes read it
//   s.meets_at     8 bytes for each column of dx: the first tap that contributes to it, and the
//                  column of dy that this tap reads
//   s.ring_at      the ring of sums: fp32, [channel][s.ring_rows rows][g.tile_w columns]
//   s.products_at  the products of a row of dy: fp32, [tap][s.products_pitch_words words]
//   s.stages_at    operand B: g.stages stages of s.stage_bytes, each with a row of dy
#include "engines/kernels/first/tile.cuh"

namespace atc::first {

namespace {

__device__ inline int ceil_to_zero(int value, int by) {
  return value <= 0 ? 0 : (value + by - 1) / by;
}

// The tile of dx that a block computes (its rows and columns), and the rows and columns of dy that
// contribute to this tile.
struct Region {
  long long image = 0;
  int row = 0, row_end = 0, column = 0, column_end = 0;
  // The rows of dy from first_row to last_row, and the `count` columns of dy from `first` on,
  // contribute to the block's tile of dx.
  int first_row = 0, last_row = 0, first = 0, count = 0;
};

__device__ inline Region region_of(const ScatterGeometry& s) {
  const Geometry& g = s.g;
  Region region;
  unsigned rest = blockIdx.x;
  const int across = static_cast<int>(rest % static_cast<unsigned>(s.tiles_w));
  rest /= static_cast<unsigned>(s.tiles_w);
  const int down = static_cast<int>(rest % static_cast<unsigned>(s.tiles_h));
  region.image = rest / static_cast<unsigned>(s.tiles_h);
  region.row = down * g.tile_h;
  region.row_end = min(region.row + g.tile_h, g.x.height);
  region.column = across * g.tile_w;
  region.column_end = min(region.column + g.tile_w, s.width);
  const int reach_h = (g.w.height - 1) * g.w.dilation_h;
  const int reach_w = (g.w.width - 1) * g.w.dilation_w;
  region.first_row = min(min(ceil_to_zero(region.row + g.x.pad_h - reach_h, g.x.step_h),
                             (region.row + g.x.pad_h) / g.x.step_h),
                         g.height - 1);
  region.last_row = min(g.height - 1, (region.row_end - 1 + g.x.pad_h) / g.x.step_h);
  region.first = ceil_to_zero(region.column + s.pad - reach_w, s.step) / s.unit * s.unit;
  region.count =
      max(0, min(g.width - 1, (region.column_end - 1 + s.pad) / s.step) - region.first + 1);
  return region;
}

// ---- Loads ----

// Starts to copy a row of dy into shared memory. With channels first, it is copied as a row of
// pixels for each channel. With channels last, it is copied as a row of channels for each pixel.
// Channels after the last one become zeros.
template <Math kMath, bool kChannelsLast, int kCopy>
__device__ void copy_outputs(const ScatterGeometry& s, const Region& region, int row,
                             const Element<kMath>* image, unsigned char* to) {
  constexpr int kWidth = kCopy == 0 ? 1 : kCopy / kBytes<kMath>;
  const Geometry& g = s.g;
  const auto copy = [&](unsigned char* place, const Element<kMath>* from, bool valid) {
    if (!valid) from = image;
    if constexpr (kCopy == 16) {
      ptx::cp_async_cg_16(ptx::shared_address(place), from, valid);
    } else if constexpr (kCopy != 0) {
      ptx::cp_async<kCopy>(ptx::shared_address(place), from, valid);
    } else {
      Element<kMath> value;
      from_float(0.0f, value);
      if (valid) value = *from;
      *reinterpret_cast<Element<kMath>*>(place) = value;
    }
  };
  const auto* const first =
      image + static_cast<long long>(row * g.width + region.first) * g.y_pixel;
  if constexpr (kChannelsLast) {
    const int units = s.channels / kWidth;
    for (int i = static_cast<int>(threadIdx.x); i < region.count * units; i += kThreads) {
      const int pixel = i / units, channel = (i - pixel * units) * kWidth;
      copy(to + pixel * s.outputs_pitch_bytes + channel * kBytes<kMath>,
           first + static_cast<long long>(pixel) * g.y_pixel + channel, channel < g.channels);
    }
  } else {
    for (int k = static_cast<int>(threadIdx.x) / 32; k < s.channels; k += kWarps)
      for (int i = static_cast<int>(threadIdx.x) % 32 * kWidth; i < region.count; i += 32 * kWidth)
        copy(to + k * s.outputs_pitch_bytes + i * kBytes<kMath>,
             first + static_cast<long long>(k) * g.y_channel + i, k < g.channels);
  }
}

template <Math kMath, bool kChannelsLast>
__device__ void load_outputs(const ScatterGeometry& s, const Region& region, int row,
                             const Element<kMath>* image, unsigned char* to) {
  if (s.copy_bytes == 16)
    copy_outputs<kMath, kChannelsLast, 16>(s, region, row, image, to);
  else if (!kChannelsLast && s.copy_bytes == 8)
    copy_outputs<kMath, kChannelsLast, 8>(s, region, row, image, to);
  else if (!kChannelsLast && s.copy_bytes == 4)
    copy_outputs<kMath, kChannelsLast, 4>(s, region, row, image, to);
  else
    copy_outputs<kMath, kChannelsLast, 0>(s, region, row, image, to);
  ptx::cp_async_commit_group();
}

// Writes the filters into shared memory, in the order in which the lanes of a warp read them. For
// tensor cores, each lane has four words for each m16 tile of taps and each step of channels. For
// FFMA, the taps of a channel are next to each other.
template <Math kMath>
__device__ void place_filters(const ScatterGeometry& s, const void* w, unsigned char* shared) {
  constexpr int kElements = 4 / kBytes<kMath>;
  const Geometry& g = s.g;
  const auto* const filters = static_cast<const Element<kMath>*>(w);
  auto* const offsets = reinterpret_cast<long long*>(shared);
  const int taps = s.sixteens * 16;
  for (int i = static_cast<int>(threadIdx.x); i < taps; i += kThreads) {
    const int row = i / g.w.width, c = row / g.w.height;
    offsets[i] = i < s.taps ? c * g.w.strides[1] + (row - c * g.w.height) * g.w.strides[2] +
                                  (i - row * g.w.width) * g.w.strides[3]
                            : -1;
  }
  __syncthreads();
  auto* const words = reinterpret_cast<unsigned*>(shared + s.filters_at);
  const int steps = s.channels / (kStepSlots * kElements);
  for (int i = static_cast<int>(threadIdx.x); i < taps * s.channels / kElements; i += kThreads) {
    int tap, channel;
    if constexpr (kMath == Math::fp32) {
      channel = i / taps;
      tap = i - channel * taps;
    } else {
      const int block = i / 128, sixteen = block / steps, lane = i / 4 % 32;
      tap = sixteen * 16 + i % 2 * 8 + lane / 4;
      channel = ((block - sixteen * steps) * kStepSlots + i / 2 % 2 * 4 + lane % 4) * kElements;
    }
    const long long offset = offsets[tap];
    unsigned word = 0;
#pragma unroll
    for (int k = 0; k < kElements; ++k) {
      if (channel + k >= g.channels || offset < 0) continue;
      const Element<kMath> value =
          as_operand<kMath>(filters[(channel + k) * g.w.strides[0] + offset]);
      if constexpr (kElements == 1)
        word = __float_as_uint(value);
      else
        word |= static_cast<unsigned>(*reinterpret_cast<const unsigned short*>(&value)) << (16 * k);
    }
    words[i] = word;
  }
}

// ---- Products, and their addition to the ring ----

// Computes products of 32 elements of a filter (taps x input channels) and 32 pixels of dy, and
// sums them over the output channels. `pair` says which 32 elements (two m16 tiles), and `first` is
// the first pixel.
template <Math kMath, bool kChannelsLast>
__device__ __forceinline__ void multiply(const ScatterGeometry& s, const unsigned char* shared,
                                         const unsigned char* outputs, int pair, int first,
                                         float (&accum)[2][4][4]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if constexpr (kMath == Math::fp32) {
    const int taps = s.sixteens * 16;
    const auto* filters =
        reinterpret_cast<const float*>(shared + s.filters_at) + pair * 32 + lane / 4;
    const auto output = [&](int channel, int pixel) {
      return *reinterpret_cast<const float*>(
          outputs + (kChannelsLast ? pixel * s.outputs_pitch_bytes + channel * 4
                                   : channel * s.outputs_pitch_bytes + pixel * 4));
    };
    for (int channel = 0; channel < s.channels; ++channel) {
      float a[4], b[8];
#pragma unroll
      for (int i = 0; i < 4; ++i) a[i] = filters[i * 8];
#pragma unroll
      for (int i = 0; i < 8; ++i) b[i] = output(channel, first + i / 2 * 8 + lane % 4 * 2 + i % 2);
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int k = 0; k < 8; ++k) {
          float& sum = accum[i / 2][k / 2][i % 2 * 2 + k % 2];
          sum = fmaf(a[i], b[k], sum);
        }
      filters += taps;
    }
  } else {
    // The number of channels that one step of K multiplies.
    constexpr int kStep = 32 / kBytes<kMath>;
    const int steps = s.channels / kStep;
    const auto* filters =
        reinterpret_cast<const uint4*>(shared + s.filters_at) + pair * 2 * steps * 32 + lane;
    for (int step = 0; step < steps; ++step) {
      // Operand A (16 taps x 32 bytes of K for each a[i]) and operand B (8 pixels x 32 bytes of K
      // for each b[i]).
      unsigned a[2][4], b[4][2];
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const uint4 words = filters[(i * steps + step) * 32];
        a[i][0] = words.x;
        a[i][1] = words.y;
        a[i][2] = words.z;
        a[i][3] = words.w;
      }
      const unsigned at = ptx::shared_address(outputs);
#pragma unroll
      for (int i = 0; i < 4; i += 2) {
        const int pixel = first + i * 8;
        unsigned four[4];
        if constexpr (kChannelsLast) {
          ptx::ldmatrix_x4(four, at + static_cast<unsigned>((pixel + lane / 16 * 8 + lane % 8) *
                                                                s.outputs_pitch_bytes +
                                                            step * 32 + lane / 8 % 2 * 16));
        } else if constexpr (kBytes<kMath> == 2) {
          ptx::ldmatrix_x4_trans(
              four, at + static_cast<unsigned>((step * 16 + lane % 16) * s.outputs_pitch_bytes +
                                               (pixel + lane / 16 * 8) * 2));
        } else {
#pragma unroll
          for (int k = 0; k < 4; ++k)
            four[k] = *reinterpret_cast<const unsigned*>(
                outputs + (step * 8 + k % 2 * 4 + lane % 4) * s.outputs_pitch_bytes +
                (pixel + k / 2 * 8 + lane / 4) * 4);
        }
#pragma unroll
        for (int k = 0; k < 4; ++k) b[i + k / 2][k % 2] = four[k];
      }
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int k = 0; k < 4; ++k)
          ptx::mma_sync_m16n8<kOperandType<kMath>>(accum[i][k], a[i], b[k][0], b[k][1]);
    }
  }
}

// The most taps of a filter's row whose products are added at once.
constexpr int kTogether = 4;
// Adds the products of one row of dy to one column of dx in the ring (rows of dx in shared memory).
// In each row of the filter, up to kTogether taps that contribute to this column are added at once,
// beginning with tap `tap`. This first tap multiplies column `output` of dy. `top` is the row of dx
// to which the filter's first row contributes.
__device__ __forceinline__ void add_products(const ScatterGeometry& s, const Region& region,
                                             const float* products, int tap, int output, int top,
                                             float* ring) {
  const Geometry& g = s.g;
  bool valid[kTogether];
  const float* from[kTogether];
#pragma unroll
  for (int i = 0; i < kTogether; ++i) {
    const int t = tap + i * s.tap_step, o = output - i * s.output_step;
    valid[i] = t < g.w.width && o >= 0 && o < region.count;
    from[i] = products + (valid[i] ? t * s.products_pitch_words + o : 0);
  }
  const int row = g.w.width * s.products_pitch_words, plane = g.w.height * row;
  for (int r = 0; r < g.w.height; ++r) {
    const int h = top + r * g.w.dilation_h;
    if (h < region.row || h >= region.row_end) continue;
    float* const place = ring + h % s.ring_rows * g.tile_w;
#pragma unroll
    for (int c = 0; c < kMostChannels; ++c) {
      if (c >= g.w.channels) break;
      float sum = 0;
#pragma unroll
      for (int i = 0; i < kTogether; ++i)
        if (valid[i]) sum += from[i][r * row + c * plane];
      place[c * s.ring_rows * g.tile_w] += sum;
    }
  }
}

// ---- The kernel ----

template <Math kMath, bool kChannelsLast>
__device__ __forceinline__ void scatter(const ScatterGeometry& s, const void* y, const void* w,
                                        const void* bias, void* x) {
  const Geometry& g = s.g;
  unsigned char* const shared = ptx::dynamic_shared();
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const Region region = region_of(s);
  const int columns = region.column_end - region.column;
  const auto* const from = static_cast<const Element<kMath>*>(y) + region.image * g.y_image;
  Element<kMath>* const to = static_cast<Element<kMath>*>(x) + region.image * g.x.image;
  const auto stage_of = [&](int row) {
    return shared + s.stages_at + (g.stages == 2 ? row % 2 : 0) * s.stage_bytes;
  };
  load_outputs<kMath, kChannelsLast>(s, region, region.first_row, from, stage_of(region.first_row));
  place_filters<kMath>(s, w, shared);

  // Finds for each column of dx the first tap that contributes to it, and the column of dy that
  // this tap multiplies. Also fills the ring of sums (rows of dx in shared memory) with zeros.
  auto* const meets = reinterpret_cast<int2*>(shared + s.meets_at);
  auto* const ring = reinterpret_cast<float*>(shared + s.ring_at);
  auto* const products = reinterpret_cast<float*>(shared + s.products_at);
  for (int i = static_cast<int>(threadIdx.x); i < columns; i += kThreads) {
    const int at = region.column + i + s.pad;
    int tap = 0;
    while (tap < g.w.width && (at - tap * g.w.dilation_w) % s.step != 0) ++tap;
    meets[i] = make_int2(tap, (at - tap * g.w.dilation_w) / s.step - region.first);
    for (int k = 0; k < g.w.channels * s.ring_rows; ++k) ring[k * g.tile_w + i] = 0;
  }

  int written = region.row;
  for (int row = region.first_row; row <= region.last_row; ++row) {
    ptx::cp_async_wait_group<0>();
    __syncthreads();
    if (g.stages == 2 && row < region.last_row)
      load_outputs<kMath, kChannelsLast>(s, region, row + 1, from, stage_of(row + 1));
    make_operands<kMath>(stage_of(row), s.stage_bytes);
    const int pairs = s.sixteens / 2, chunks = (region.count + 31) / 32;
    for (int item = warp; item < pairs * chunks; item += kWarps) {
      const int pair = item % pairs, first = item / pairs * 32;
      float accum[2][4][4] = {};
      multiply<kMath, kChannelsLast>(s, shared, stage_of(row), pair, first, accum);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int tap = pair * 32 + i * 8 + lane / 4;
        if (tap >= s.taps) continue;
#pragma unroll
        for (int k = 0; k < 4; ++k)
          *reinterpret_cast<float2*>(products + tap * s.products_pitch_words + first + k * 8 +
                                     lane % 4 * 2) =
              make_float2(accum[i / 2][k][i % 2 * 2], accum[i / 2][k][i % 2 * 2 + 1]);
      }
    }
    __syncthreads();
    if (g.stages == 1 && row < region.last_row)
      load_outputs<kMath, kChannelsLast>(s, region, row + 1, from, stage_of(row + 1));

    const int top = row * g.x.step_h - g.x.pad_h;
    const int end = row < region.last_row ? min(region.row_end, top + g.x.step_h) : region.row_end;
    for (int i = static_cast<int>(threadIdx.x); i < columns; i += kThreads) {
      const int2 meet = meets[i];
      for (int tap = meet.x, output = meet.y; tap < g.w.width;
           tap += kTogether * s.tap_step, output -= kTogether * s.output_step)
        add_products(s, region, products, tap, output, top, ring + i);
      // Stores the rows of dx to which no later row of dy contributes, and sets their places in the
      // ring to zeros.
      for (int h = written; h < end; ++h)
        for (int c = 0; c < g.w.channels; ++c) {
          float& place = ring[(c * s.ring_rows + h % s.ring_rows) * g.tile_w + i];
          float sum = place;
          place = 0;
          if (g.has_bias) sum += to_float(static_cast<const Element<kMath>*>(bias)[c]);
          // fmaxf is not used for ReLU, because it would turn a NaN into 0.
          if (g.relu && sum < 0) sum = 0;
          const int column = region.column + i;
          from_float(sum, to[kChannelsLast ? h * g.x.row + column * g.x.pixel + c
                                           : c * g.x.plane + h * g.x.row + column]);
        }
    }
    written = max(written, end);
  }
}

}  // namespace

// The kernels' names are atc_first_scatter_<math>_<first or last>.
#define ATC_FIRST(math, layout, last)                                                            \
  extern "C" __global__ void __launch_bounds__(kThreads, 2) atc_first_scatter_##math##_##layout( \
      const __grid_constant__ ScatterGeometry s, const void* y, const void* w, const void* bias, \
      void* x) {                                                                                 \
    kernels::enable_sm80_or_later([&] { scatter<Math::math, last>(s, y, w, bias, x); });         \
  }
#define ATC_FIRST_OF(math)      \
  ATC_FIRST(math, first, false) \
  ATC_FIRST(math, last, true)

ATC_FIRST_OF(f16)
ATC_FIRST_OF(bf16)
ATC_FIRST_OF(tf32)
ATC_FIRST_OF(fp32)

#undef ATC_FIRST
#undef ATC_FIRST_OF

}  // namespace atc::first
