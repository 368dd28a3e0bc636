// This kernel computes backward-data for first layers (up to four input channels) with stride 1 or
// 2, on tensor cores (mma.sync).
//
// For each row of dy and each tap column s:
//   accum[r, c][column] += sum over k of dy[k, row, column shifted by s] * w[k, c, r, s]
//
// In the matrix product, M is every kStride-th column of a strip of dx, N is rows of the filter x
// input channels, and K is output channels. A warp computes a strip of columns of dx and goes down
// the rows of dy. Each row of dy contributes to several rows of dx, whose accumulators are all in
// registers. After a row of dy, the rows of dx to which no later row of dy contributes are stored,
// and the other accumulators move up by one n8 tile. Columns of dx with different remainders modulo
// kStride have different accumulators.
//
// Contract
//   y, x     dense tensors; y is the gradient of the outputs, x the gradient of the inputs. Rows of
//            y are copied in pieces of s.copy_bytes (16, 8 or 4) and are aligned to as many bytes.
//            If s.copy_bytes is 0, elements are copied one by one
//   w        any strides (Filters)
//   bias     of the type of x; not read unless g.has_bias is set
//   refused  fp32, other strides, and the problems that `objection` in shape.cpp refuses
//   padding  The pixels of dy before and after a row are zeros. If a filter is Inf or NaN, the
//            products with these zeros would be NaN. Then multiply_edge computes the ends of a row
//            and leaves these products out
//
// Shared memory, by offset in bytes
//   0             4 bytes for each shift (distance from a block of columns to a column of dy) and
//                 each column of a block: the beginning of its filters; -1 if there is no such tap
//   s.filters_at  operand B, in the order in which lanes read it
//   s.warps_at    s.warp_bytes for each warp: g.stages rows of dy of s.stage_bytes, and one
//                 transposed row
#include "engines/kernels/first/tile.cuh"

namespace atc::first {

namespace {

// ---- Strips and filters ----

// The strip that a warp computes, and the place of the strip in the image.
struct Strip {
  long long image = 0;
  int row = 0, row_end = 0;  // the rows of dx of the strip: `row` to `row_end` - 1
  // The number of the strip's first block of columns. A block is kStride columns of dx.
  int block = 0;
  int column = 0;  // the first column of dy that is in shared memory
};

__device__ inline Strip strip_of(const StripGeometry& s, int unit) {
  Strip strip;
  const int across = unit % s.across;
  const int rest = unit / s.across, down = rest % s.down;
  strip.image = rest / s.down;
  strip.row = down * s.rows;
  strip.row_end = min(strip.row + s.rows, s.g.x.height);
  strip.block = across * s.blocks;
  strip.column = strip.block + s.first_shift - s.lead;
  return strip;
}

// Writes the filters into shared memory, in the order in which the lanes of a warp read them: [tap
// of a row][step of channels][n8 tile], with two words for each lane and n8 tile. The words of two
// neighbouring n8 tiles are next to each other, so that a lane reads them at once. Also writes a
// table that says where the filters begin for each shift (distance from a block of columns of dx to
// a column of dy). Returns whether all filter elements that this thread has read are finite.
template <Math kMath, int kStride, int kN8Tiles>
__device__ bool place_filters(const StripGeometry& s, const void* w, unsigned char* shared) {
  constexpr int kElements = 4 / kBytes<kMath>, kPairs = kN8Tiles / 2;
  const Geometry& g = s.g;
  const auto* const filters = static_cast<const Element<kMath>*>(w);
  const int tap_words = s.steps * kN8Tiles * 64;
  auto* const places = reinterpret_cast<int*>(shared);
  for (int i = static_cast<int>(threadIdx.x); i < s.shifts * kStride; i += kThreads) {
    // A block is kStride neighbouring columns of dx. Column i % kStride of a block reads the column
    // of dy that is first_shift + i / kStride from the block. `tap` is the tap for this product. If
    // there is no such tap, the table gets -1.
    const int distance = i % kStride + s.pad - (s.first_shift + i / kStride) * kStride;
    const int tap = distance / g.w.dilation_w;
    const bool valid = distance >= 0 && tap < g.w.width && tap * g.w.dilation_w == distance;
    places[i] = valid ? tap * tap_words : -1;
  }
  constexpr int kWords = kN8Tiles * 64, kGroups = kWords < kThreads ? kThreads / kWords : 1;
  auto* const words = reinterpret_cast<unsigned*>(shared + s.filters_at);
  // The number of steps of K for all taps of a filter's row.
  const int steps = g.w.width * s.steps;
  bool finite = true;
  const int group = kGroups == 1 ? 0 : static_cast<int>(threadIdx.x) / kWords;
  int word = static_cast<int>(threadIdx.x) - group * kWords;
  for (; group < kGroups && word < kWords; word += kThreads) {
    const int pair = min(word / 128, kPairs), in_pair = word - pair * 128;
    const int lane = pair < kPairs ? in_pair / 4 : in_pair / 2;
    const int tile = pair * 2 + (pair < kPairs ? in_pair / 2 % 2 : 0);
    const int sum = lane / 4, r = tile * kStride + (kStride == 2 ? sum / kMostChannels : 0);
    const int c = kStride == 2 ? sum % kMostChannels : sum;
    const int first_channel = (in_pair % 2 * 4 + lane % 4) * kElements;
    const bool inside = c < g.w.channels && r < g.w.height;
    const auto* const from = filters + (inside ? c * g.w.strides[1] + r * g.w.strides[2] : 0);
    // A thread issues the loads of this number of elements before it uses the first of them.
    constexpr int kInFlight = 8;
    for (int first = group; first < steps; first += kInFlight * kGroups) {
      Element<kMath> values[kInFlight][kElements];
#pragma unroll
      for (int i = 0; i < kInFlight; ++i) {
        const int step = first + i * kGroups, tap = step / s.steps;
        const int channel = (step - tap * s.steps) * kStepSlots * kElements + first_channel;
#pragma unroll
        for (int k = 0; k < kElements; ++k) {
          const bool valid = inside && step < steps && channel + k < g.channels;
          values[i][k] = from[valid ? (channel + k) * g.w.strides[0] + tap * g.w.strides[3] : 0];
          if (!valid) from_float(0.0f, values[i][k]);
          finite = finite && isfinite(to_float(values[i][k]));
        }
      }
#pragma unroll
      for (int i = 0; i < kInFlight; ++i)
        if (first + i * kGroups < steps)
          words[(first + i * kGroups) * kWords + word] = word_of<kMath>(values[i]);
    }
  }
  return finite;
}

// ---- Loads of rows of dy ----

// Starts to copy a row of dy, `s.pixels` pixels from `column` on, into shared memory. A run of the
// copy is contiguous in memory: the pixels of one channel if kTransposed is true, otherwise the
// channels of one pixel. Pixels outside of the row become zeros.
template <Math kMath, int kCopy, bool kTransposed>
__device__ __forceinline__ void copy_units(const StripGeometry& s, const Element<kMath>* row,
                                           int column, unsigned char* to) {
  constexpr int kWidth = kCopy / kBytes<kMath>;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  int run = lane / s.units, unit = lane - run * s.units;
  int from = run * s.run_apart_elements + unit * kWidth;
  if (!kTransposed) from += column * s.run_apart_elements;
  unsigned address =
      ptx::shared_address(to) + static_cast<unsigned>(run * s.stage_pitch_bytes + unit * kCopy);
  int pixel = column + (kTransposed ? unit * kWidth : run);
  if (kTransposed) from += column;
  for (int i = lane; i < s.row_units; i += 32) {
    const bool valid = static_cast<unsigned>(pixel) < static_cast<unsigned>(s.g.width);
    ptx::cp_async<kCopy>(address, row + (valid ? from : 0), valid);
    unit += s.next_unit;
    const bool wraps = unit >= s.units;
    if (wraps) unit -= s.units;
    from += wraps ? s.from_wrapped_elements : s.from_next_elements;
    address += static_cast<unsigned>(wraps ? s.to_wrapped_bytes : s.to_next_bytes);
    pixel = kTransposed ? column + unit * kWidth : pixel + s.next_run + (wraps ? 1 : 0);
  }
}

// Copies a row of dy element by element, as the channels of each pixel. Pixels outside of the row
// become zeros. A warp copies eight pixels of four channels at once.
template <Math kMath>
__device__ void copy_elements(const StripGeometry& s, const Element<kMath>* row, int column,
                              unsigned char* to) {
  const Geometry& g = s.g;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (int pixel = lane % 8; pixel < s.pixels; pixel += 8) {
    const bool valid = column + pixel >= 0 && column + pixel < g.width;
    const auto* const from = row + (valid ? static_cast<long long>(column + pixel) * g.y_pixel : 0);
    unsigned char* const place = to + pixel * s.pixel_pitch_bytes;
#pragma unroll 4
    for (int k = lane / 8; k < g.channels; k += 4) {
      const auto* const source = from + (valid ? static_cast<long long>(k) * g.y_channel : 0);
      if constexpr (kBytes<kMath> == 4) {
        ptx::cp_async<4>(ptx::shared_address(place + k * 4), source, valid);
      } else {
        Element<kMath> value;
        from_float(0.0f, value);
        if (valid) value = *source;
        reinterpret_cast<Element<kMath>*>(place)[k] = value;
      }
    }
  }
}

template <Math kMath>
__device__ void load_row(const StripGeometry& s, const Element<kMath>* image, int row, int column,
                         unsigned char* to) {
  const Geometry& g = s.g;
  if (row >= 0 && row < g.height) {
    const auto* const from = image + static_cast<long long>(row) * g.width * g.y_pixel;
    if (!s.turned && s.copy_bytes == 16)
      copy_units<kMath, 16, false>(s, from, column, to);
    else if (s.copy_bytes == 16)
      copy_units<kMath, 16, true>(s, from, column, to);
    else if (s.copy_bytes == 8)
      copy_units<kMath, 8, true>(s, from, column, to);
    else if (s.copy_bytes == 4)
      copy_units<kMath, 4, true>(s, from, column, to);
    else
      copy_elements<kMath>(s, from, column, to);
  }
  ptx::cp_async_commit_group();
}

// Transposes a row of dy in shared memory: from the pixels of each channel to the channels of each
// pixel. For TF32, also rounds the elements.
template <Math kMath>
__device__ __forceinline__ void transpose(const StripGeometry& s, const unsigned char* from,
                                          unsigned char* to) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if constexpr (kBytes<kMath> == 4) {
    for (int pixel = lane / 16 * 4; pixel < s.pixels; pixel += 8)
      for (int channel = lane % 16; channel < s.channels; channel += 16) {
        const float4 four =
            *reinterpret_cast<const float4*>(from + channel * s.stage_pitch_bytes + pixel * 4);
        unsigned char* const place = to + pixel * s.pixel_pitch_bytes + channel * 4;
        *reinterpret_cast<float*>(place) = as_operand<kMath>(four.x);
        *reinterpret_cast<float*>(place + s.pixel_pitch_bytes) = as_operand<kMath>(four.y);
        *reinterpret_cast<float*>(place + 2 * s.pixel_pitch_bytes) = as_operand<kMath>(four.z);
        *reinterpret_cast<float*>(place + 3 * s.pixel_pitch_bytes) = as_operand<kMath>(four.w);
      }
  } else {
    for (int pixel = 0; pixel < s.pixels; pixel += 8)
      for (int channel = 0; channel < s.channels; channel += 32) {
        const int row = channel + lane;
        unsigned words[4];
        ptx::ldmatrix_x4_trans(
            words, ptx::shared_address(from) +
                       static_cast<unsigned>((row < s.channels ? row : 0) * s.stage_pitch_bytes +
                                             pixel * 2));
        unsigned char* const place =
            to + (pixel + lane / 4) * s.pixel_pitch_bytes + channel * 2 + lane % 4 * 4;
#pragma unroll
        for (int i = 0; i < 4; ++i)
          if (channel + i * 8 < s.channels) *reinterpret_cast<unsigned*>(place + i * 16) = words[i];
      }
  }
}

// For TF32, rounds the elements of a row of dy in shared memory. Otherwise does nothing.
template <Math kMath>
__device__ __forceinline__ void make_row_operands(const StripGeometry& s, unsigned char* row) {
  if constexpr (kMath == Math::tf32)
    for (int i = static_cast<int>(threadIdx.x) % 32 * 16; i < s.pixels * s.pixel_pitch_bytes;
         i += 32 * 16) {
      auto* const four = reinterpret_cast<float4*>(row + i);
      const float4 raw = *four;
      *four = make_float4(as_operand<kMath>(raw.x), as_operand<kMath>(raw.y),
                          as_operand<kMath>(raw.z), as_operand<kMath>(raw.w));
    }
}

// ---- Products ----

// The accumulators of a warp. kStride is the stride in both dimensions. The kN8Tiles n8 tiles have
// the products of the filter's rows and the input channels; each tile has kStride rows of the
// filter. The kM16Tiles m16 tiles have the columns of dx; each tile has 16 blocks of kStride
// columns.
template <int kStride, int kN8Tiles, int kM16Tiles>
using StripAccumulators = float[kStride][kN8Tiles][kM16Tiles][4];

// Adds the products of one shift (distance from a block of columns of dx to a column of dy). In
// each block, only the columns kBegin to kEnd - 1 get products.
template <Math kMath, int kBegin, int kEnd, int kStride, int kN8Tiles, int kM16Tiles>
__device__ __forceinline__ void multiply_shift(
    const StripGeometry& s, unsigned outputs, const unsigned char* filters,
    const int (&places)[kStride], StripAccumulators<kStride, kN8Tiles, kM16Tiles>& accum) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  constexpr int kUnroll = kM16Tiles == 1 ? 4 : 2;
#pragma unroll kUnroll
  for (int step = 0; step < s.steps; ++step) {
    // Operand A. Each a[i] is 16 blocks of columns x 32 bytes of K.
    unsigned a[kM16Tiles][4];
#pragma unroll
    for (int m = 0; m < kM16Tiles; ++m)
      ptx::ldmatrix_x4(a[m],
                       outputs + static_cast<unsigned>(m * 16 * s.pixel_pitch_bytes + step * 32));
#pragma unroll
    for (int i = kBegin; i < kEnd; ++i) {
      const auto* const words =
          reinterpret_cast<const unsigned*>(filters) + places[i] + step * (kN8Tiles * 64);
      // Operand B. Each b[i] is 8 columns of N x 32 bytes of K.
      unsigned b[kN8Tiles][2];
#pragma unroll
      for (int pair = 0; pair < kN8Tiles / 2; ++pair) {
        const uint4 four = reinterpret_cast<const uint4*>(words + pair * 128)[lane];
        b[pair * 2][0] = four.x;
        b[pair * 2][1] = four.y;
        b[pair * 2 + 1][0] = four.z;
        b[pair * 2 + 1][1] = four.w;
      }
      if constexpr (kN8Tiles % 2 != 0) {
        const uint2 two = reinterpret_cast<const uint2*>(words + kN8Tiles / 2 * 128)[lane];
        b[kN8Tiles - 1][0] = two.x;
        b[kN8Tiles - 1][1] = two.y;
      }
#pragma unroll
      for (int tile = 0; tile < kN8Tiles; ++tile)
#pragma unroll
        for (int m = 0; m < kM16Tiles; ++m)
          ptx::mma_sync_m16n8<kOperandType<kMath>>(accum[i][tile][m], a[m], b[tile][0], b[tile][1]);
    }
  }
}

// For strips at the ends of a row, if a filter contains an Inf or NaN: adds the products of one
// shift (distance from a block of columns of dx to a column of dy). The pixels outside of the row
// are zeros, and zero times Inf or NaN would be NaN. So a block whose column of dy is outside of
// the row keeps its accumulators. `column` is the column of dy that the first block reads at this
// shift.
template <Math kMath, int kStride, int kN8Tiles, int kM16Tiles>
__device__ __forceinline__ void multiply_edge(
    const StripGeometry& s, unsigned outputs, const unsigned char* filters,
    const int (&places)[kStride], int column,
    StripAccumulators<kStride, kN8Tiles, kM16Tiles>& accum) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int i = 0; i < kStride * kN8Tiles * kM16Tiles; ++i) {
    const int in_block = i / kM16Tiles / kN8Tiles, tile = i / kM16Tiles % kN8Tiles,
              m = i % kM16Tiles;
    if (places[in_block] < 0) continue;
    const bool alone = kN8Tiles % 2 != 0 && tile == kN8Tiles - 1;
    const auto* words = reinterpret_cast<const unsigned*>(filters) + places[in_block] +
                        tile / 2 * 128 + lane * (alone ? 2 : 4) + (alone ? 0 : tile % 2 * 2);
    float(&old)[4] = accum[in_block][tile][m];
    float sum[4] = {old[0], old[1], old[2], old[3]};
    for (int step = 0; step < s.steps; ++step, words += kN8Tiles * 64) {
      unsigned a[4];
      ptx::ldmatrix_x4(a,
                       outputs + static_cast<unsigned>(m * 16 * s.pixel_pitch_bytes + step * 32));
      ptx::mma_sync_m16n8<kOperandType<kMath>>(sum, a, words[0], words[1]);
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int meets = column + m * 16 + k / 2 * 8 + lane / 4;
      if (meets >= 0 && meets < s.g.width) old[k] = sum[k];
    }
  }
}

template <Math kMath, int kStride, int kN8Tiles, int kM16Tiles>
__device__ __forceinline__ void multiply(const StripGeometry& s, const unsigned char* shared,
                                         const unsigned char* outputs, int column, bool careful,
                                         StripAccumulators<kStride, kN8Tiles, kM16Tiles>& accum) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const auto* const table = reinterpret_cast<const int*>(shared);
  const unsigned char* const filters = shared + s.filters_at;
  unsigned at = ptx::shared_address(outputs) +
                static_cast<unsigned>((s.lead + lane % 16) * s.pixel_pitch_bytes + lane / 16 * 16);
  for (int shift = 0; shift < s.shifts; ++shift, at += static_cast<unsigned>(s.pixel_pitch_bytes)) {
    int places[kStride];
#pragma unroll
    for (int i = 0; i < kStride; ++i) places[i] = table[shift * kStride + i];
    // A shift is the distance from a block of columns of dx to a column of dy. Columns of dx for
    // which this shift has no tap are skipped. Zeros in place of the filters would be wrong: if dy
    // is Inf or NaN, the product would be NaN.
    if (careful) {
      multiply_edge<kMath>(s, at, filters, places, column + s.lead + shift, accum);
    } else if constexpr (kStride == 1) {
      if (places[0] >= 0) multiply_shift<kMath, 0, 1>(s, at, filters, places, accum);
    } else if (places[0] >= 0 && places[1] >= 0) {
      multiply_shift<kMath, 0, 2>(s, at, filters, places, accum);
    } else if (places[0] >= 0) {
      multiply_shift<kMath, 0, 1>(s, at, filters, places, accum);
    } else if (places[1] >= 0) {
      multiply_shift<kMath, 1, 2>(s, at, filters, places, accum);
    }
  }
}

// ---- Epilogue ----

// Stores the kStride rows of dx from `row` on, to which no later row of dy contributes. For each
// m16 tile, a lane stores two channels of two blocks of columns.
template <Math kMath, int kStride, int kN8Tiles, int kM16Tiles>
__device__ __forceinline__ void store_rows(
    const StripGeometry& s, const Strip& strip, int row, const float (&biases)[2],
    const StripAccumulators<kStride, kN8Tiles, kM16Tiles>& accum, Element<kMath>* image) {
  const Geometry& g = s.g;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int first_channel = kStride == 2 ? lane % 2 * 2 : lane % 4 * 2;
  row += kStride == 2 ? lane % 4 / 2 : 0;
  if (row < strip.row || row >= strip.row_end) return;
  const int pixel = g.x.pixel, channel_apart = g.x.planes > 1 ? g.x.plane : 1;
  Element<kMath>* const to =
      image + static_cast<long long>(row) * g.x.row + first_channel * channel_apart;
#pragma unroll
  for (int m = 0; m < kM16Tiles; ++m)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int column = (strip.block + m * 16 + half * 8 + lane / 4) * kStride;
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        if (first_channel + k >= g.w.channels) continue;
        alignas(8) Element<kMath> values[kStride];
#pragma unroll
        for (int i = 0; i < kStride; ++i) {
          float sum = accum[i][0][m][half * 2 + k] + biases[k];
          // fmaxf is not used for ReLU, because it would turn a NaN into 0.
          if (g.relu && sum < 0) sum = 0;
          from_float(sum, values[i]);
        }
        Element<kMath>* const place = to + k * channel_apart + column * pixel;
        if (kStride == 2 && s.pairs) {
          if (column < s.width) {
            if constexpr (kBytes<kMath> == 2)
              *reinterpret_cast<unsigned*>(place) = *reinterpret_cast<const unsigned*>(values);
            else
              *reinterpret_cast<uint2*>(place) = *reinterpret_cast<const uint2*>(values);
          }
        } else {
#pragma unroll
          for (int i = 0; i < kStride; ++i)
            if (column + i < s.width) place[i * pixel] = values[i];
        }
      }
    }
}

// ---- The kernel ----

template <Math kMath, int kStride, int kN8Tiles, int kM16Tiles>
__device__ __forceinline__ void go_down(const StripGeometry& s, const void* y, const void* w,
                                        const void* bias, void* x) {
  const Geometry& g = s.g;
  unsigned char* const shared = ptx::dynamic_shared();
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int number = static_cast<int>(blockIdx.x) * kWarps + warp;
  const bool any = number < s.count;
  const Strip strip = strip_of(s, any ? number : 0);
  unsigned char* const own = shared + s.warps_at + warp * s.warp_bytes;
  unsigned char* const transposed = own + g.stages * s.stage_bytes;
  const auto* const from = static_cast<const Element<kMath>*>(y) + strip.image * g.y_image;
  Element<kMath>* const to = static_cast<Element<kMath>*>(x) + strip.image * g.x.image;

  // `first` is the first row of dy that contributes to the strip's first row of dx. `last` is the
  // last row of dy that contributes to the strip's last row of dx. Both rows may lie outside of dy.
  const int before = strip.row + g.x.pad_h - g.w.height + 1;
  const int first = before > 0 ? (before + kStride - 1) / kStride : -(-before / kStride);
  const int last = (strip.row_end - 1 + g.x.pad_h) / kStride;
  // The number of rows of dy that are copied ahead. If rows are transposed, a row leaves its stage
  // before it is multiplied, so one row more can be copied.
  const int ahead = s.turned ? g.stages : g.stages - 1;
  if (any) {
    // Fills the warp's shared memory with zeros. The channels after the last one are never copied,
    // so they stay zeros.
    for (int i = lane * 16; i < s.warp_bytes; i += 32 * 16)
      *reinterpret_cast<uint4*>(own + i) = make_uint4(0, 0, 0, 0);
    __syncwarp();
    for (int i = 0; i < ahead; ++i)
      load_row<kMath>(s, from, first + i, strip.column, own + i * s.stage_bytes);
  }
  const bool finite =
      __syncthreads_and(place_filters<kMath, kStride, kN8Tiles>(s, w, shared) ? 1 : 0) != 0;
  if (!any) return;

  float biases[2];
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int channel = (kStride == 2 ? lane % 2 * 2 : lane % 4 * 2) + i;
    biases[i] = g.has_bias && channel < g.w.channels
                    ? to_float(static_cast<const Element<kMath>*>(bias)[channel])
                    : 0.0f;
  }
  StripAccumulators<kStride, kN8Tiles, kM16Tiles> accum = {};
  const bool careful = !finite && (strip.column + s.lead < 0 || strip.column + s.pixels > g.width);
  int stage = 0, next_stage = ahead % g.stages;
  for (int row = first; row <= last; ++row) {
    if (ahead == 1)
      ptx::cp_async_wait_group<0>();
    else
      ptx::cp_async_wait_group<1>();
    __syncwarp();
    const unsigned char* outputs = own + stage * s.stage_bytes;
    const bool valid = row >= 0 && row < g.height;
    if (s.turned) {
      if (valid) transpose<kMath>(s, outputs, transposed);
      outputs = transposed;
    } else if (valid) {
      make_row_operands<kMath>(s, own + stage * s.stage_bytes);
    }
    __syncwarp();
    load_row<kMath>(s, from, row + ahead, strip.column, own + next_stage * s.stage_bytes);
    stage = stage + 1 == g.stages ? 0 : stage + 1;
    next_stage = next_stage + 1 == g.stages ? 0 : next_stage + 1;
    if (valid)
      multiply<kMath, kStride, kN8Tiles, kM16Tiles>(s, shared, outputs, strip.column, careful,
                                                    accum);
    store_rows<kMath, kStride, kN8Tiles, kM16Tiles>(s, strip, row * kStride - g.x.pad_h, biases,
                                                    accum, to);
    // Moves the accumulators to the previous n8 tile, because the next row of dy contributes to
    // rows of dx that are kStride later. Accumulators of rows after the filter's last row are set
    // to zeros. Their old values may be NaN: the places of missing taps have zeros, which are
    // multiplied by dy, and dy may contain an Inf or NaN.
    const int in_tile = kStride == 2 ? lane % 4 / 2 : 0;
#pragma unroll
    for (int tile = 0; tile < kN8Tiles; ++tile) {
      const bool kept = tile + 1 < kN8Tiles && (tile + 1) * kStride + in_tile < g.w.height;
#pragma unroll
      for (int i = 0; i < kStride * kM16Tiles * 4; ++i) {
        const int m = i / 4 % kM16Tiles;
        accum[i / 4 / kM16Tiles][tile][m][i % 4] =
            kept ? accum[i / 4 / kM16Tiles][(tile + 1) % kN8Tiles][m][i % 4] : 0.0f;
      }
    }
  }
}

}  // namespace

// The kernels' names are atc_first_strips_<math>_<kStride>x<kN8Tiles>x<kM16Tiles>.
#define ATC_FIRST(math, step, tiles, m16_tiles, blocks)                                            \
  extern "C" __global__ void __launch_bounds__(kThreads, blocks)                                   \
      atc_first_strips_##math##_##step##x##tiles##x##m16_tiles(                                    \
          const __grid_constant__ StripGeometry s, const void* y, const void* w, const void* bias, \
          void* x) {                                                                               \
    kernels::enable_sm80_or_later(                                                                 \
        [&] { go_down<Math::math, step, tiles, m16_tiles>(s, y, w, bias, x); });                   \
  }
#define ATC_FIRST_SIXTEENS(math, step, tiles, most) \
  ATC_FIRST(math, step, tiles, 1, 2)                \
  ATC_FIRST(math, step, tiles, 2, 2)                \
  ATC_FIRST(math, step, tiles, 4, most)
#define ATC_FIRST_OF(math)          \
  ATC_FIRST_SIXTEENS(math, 1, 3, 2) \
  ATC_FIRST_SIXTEENS(math, 1, 7, 1) \
  ATC_FIRST_SIXTEENS(math, 2, 2, 2) \
  ATC_FIRST_SIXTEENS(math, 2, 4, 1)

ATC_FIRST_OF(f16)
ATC_FIRST_OF(bf16)
ATC_FIRST_OF(tf32)

#undef ATC_FIRST
#undef ATC_FIRST_SIXTEENS
#undef ATC_FIRST_OF

}  // namespace atc::first
