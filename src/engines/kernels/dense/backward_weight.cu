// This kernel computes backward-weight of one group with two spatial dimensions, channels first, in
// fp16, bf16 or TF32. It needs compute capability 9.0a.
//
// The kernel computes:
//   partials[split][r][s][c][k] = sum over the split's pixels of x[c, pixel of tap (r, s)] * dy[k,
//   pixel]
//
// Each tap has its own matrix product: M is 64 input channels, N is 64 output channels, and K is
// pixels of a row. Operand A (x) is in registers: each tap reads x at shifted pixels, and shifted
// pixels are not aligned as wgmma needs them in shared memory. Operand B (dy) is in shared memory.
// A block computes one tile of dw with 3 x 3 taps, and adds up the products of a part of the lines
// (split-K). A line is a part of a row in one or several images (backward_weight_geometry.hpp). The
// first three warpgroups are consumers, each for one column of taps. The last warpgroup is the
// producer: it copies lines before the consumers need them. backward_weight_sum.cu adds the
// partials.
//
// Contract
//   x, dy     dense tensors; rows are aligned to g.copy_x_bytes and g.copy_y_bytes bytes (2, 4, 8
//             or 16)
//   partials  fp32, filled up to whole tiles; aligned to 8 bytes
//   refused   strides other than 1 and 2, a stride of 2 with a dilation, filters of one tap, a bias
//             (weight_objection in backward_weight_plan.cpp)
//   assumed   Pixels of padding are zeros. A zero times an Inf or NaN of dy makes the sum NaN. The
//             kernel that adds the partials computes each sum that is NaN again
//
// Shared memory, by offset in bytes. A line is a part of a row, in one or several images
//  0       g.depth lines of x, each of g.x_line_bytes: [row of the stride][channel][pixels];
//          channels are g.x_pitch_bytes apart
//  g.y_at  g.y_lines lines of dy, each of g.y_line_bytes: [unit of 16 bytes of pixels][filter]
#include "engines/kernels/dense/backward_weight_geometry.hpp"
#include "engines/kernels/ptx_sm90.cuh"

namespace atc::dense {

namespace {

using ptx::OperandType;

template <OperandType kOperandType>
constexpr int kBytes = kOperandType == OperandType::tf32 ? 4 : 2;

// The part of dw that a block computes.
struct Tile {
  int channel, filter;  // the first channel and the first filter of the tile
  int row, column;      // the first row and column of taps of the tile
};

// A line is one row of outputs of a strip of columns, in one or several images. This struct has the
// place of a line in the tensors and in shared memory. `image` is the first image of the line,
// `strip` is its strip, and `row` is its row of outputs. `x_slot` and `y_slot` are the places in
// shared memory for its rows of x and of dy. next() changes to the following line, without a
// division.
struct Line {
  int image, strip, row;
  int x_slot, y_slot;

  __device__ Line(const WeightGeometry& g, int line) {
    const int strips = line / g.strip_lines;
    row = line - strips * g.strip_lines;
    const int images = strips / g.strips;
    strip = strips - images * g.strips;
    image = images * g.segments;
    x_slot = line % g.depth;
    y_slot = line % g.y_lines;
  }
  __device__ __forceinline__ void next(const WeightGeometry& g) {
    if (++x_slot == g.depth) x_slot = 0;
    if (++y_slot == g.y_lines) y_slot = 0;
    if (++row < g.strip_lines) return;
    row = 0;
    if (++strip < g.strips) return;
    strip = 0;
    image += g.segments;
  }
};

// ---- Producer: copies ----

// Copies rows of up to 64 channels, in neighbouring images, from a tensor into shared memory. A row
// is divided into pieces; one copy instruction copies one piece. If a row has at least as many
// pieces as there are threads, each thread copies its pieces of all channels. Otherwise the threads
// copy several channels at once, and each thread copies one piece of every few channels. Two kinds
// of bytes are never written, so they remain zeros: the bytes of channels after the last one and,
// if the images are not cut into strips, the bytes of padding.
class Planes {
 public:
  // A segment is the part of an image that a line of the work contains. `left` is where the
  // segment's row in shared memory begins: the distance in bytes, along a row of the tensor, from
  // the beginning of the strip of columns. `bytes` is the size of a segment's row. Both are
  // multiples of 16. `copy` is the number of bytes of one copy.
  __device__ Planes(const WeightGeometry& g, const void* tensor, int element, int channels,
                    int first_channel, int height, int width, int left, int bytes, int copy)
      : plane_(static_cast<long long>(height) * width * element),
        image_(plane_ * channels),
        tensor_(static_cast<const unsigned char*>(tensor) + first_channel * plane_),
        width_(width * element),
        left_(left),
        copy_(copy),
        images_(g.images) {
    const int end = g.strips == 1 ? min(bytes, width_ - left) : bytes;
    skipped_ = g.strips == 1 ? max(0, -left) : 0;
    pieces_ = max(0, end - skipped_) / copy;
    across_ = pieces_ * g.segments;
    const int thread = static_cast<int>(threadIdx.x) - kConsumers;
    const int planes = min(channels - first_channel, kTileChannels);
    beside_ = across_ == 0 ? 1 : max(kWarpgroup / across_, 1);
    first_piece_ = across_ >= kWarpgroup || across_ == 0 ? thread : thread % across_;
    first_plane_ = across_ >= kWarpgroup || across_ == 0 ? 0 : thread / across_;
    // If several channels are copied at once, the number of threads may be no multiple of a row's
    // pieces. Then the threads that are left over copy nothing.
    planes_ = first_plane_ < beside_ && first_plane_ < planes
                  ? (planes - first_plane_ + beside_ - 1) / beside_
                  : 0;
    segment_ = pieces_ == 0 ? 0 : first_piece_ / pieces_;
  }

  // Copies row `row` of all channels. `shift` is the distance in bytes from the beginning of the
  // row in the tensor to the beginning of the strip of columns. A segment is the part of one image.
  // place(byte, segment) returns the address in shared memory of a byte of a segment's row, for the
  // first channel. The address for each next channel is `pitch` bytes larger. If `valid` is false,
  // zeros are written.
  template <int kElement, typename Place>
  __device__ __forceinline__ void copy(int image, int row, int shift, bool valid, int pitch,
                                       const Place& place) const {
    switch (copy_) {
      case 16:
        return copy_by<16>(image, row, shift, valid, pitch, place);
      case 8:
        return copy_by<8>(image, row, shift, valid, pitch, place);
      case 4:
        return copy_by<4>(image, row, shift, valid, pitch, place);
      default:
        if constexpr (kElement == 2) copy_by<2>(image, row, shift, valid, pitch, place);
    }
  }

 private:
  template <int kCopy, typename Place>
  __device__ __forceinline__ void copy_by(int image, int row, int shift, bool valid, int pitch,
                                          const Place& place) const {
    constexpr int kInFlight = kCopy == 2 ? 8 : 4;
    const long long step = beside_ * plane_;
    const auto step_to = static_cast<unsigned>(beside_ * pitch);
    const unsigned char* const base =
        tensor_ + image * image_ + first_plane_ * plane_ + static_cast<long long>(row) * width_;
    const unsigned to_plane = static_cast<unsigned>(first_plane_ * pitch);
    int segment = segment_;
    for (int at = first_piece_; at < across_;) {
      const int byte = skipped_ + (at - segment * pieces_) * kCopy, column = shift + left_ + byte;
      const bool inside = valid && column >= 0 && column < width_ && image + segment < images_;
      const unsigned char* from = inside ? base + segment * image_ + column : tensor_;
      unsigned to = place(byte, segment) + to_plane;
      int left = planes_;
      for (; left >= kInFlight; left -= kInFlight) {
        copy_some<kCopy, kInFlight>(to, from, step_to, step, inside);
        from += kInFlight * step;
        to += kInFlight * step_to;
      }
      for (; left > 0; --left) {
        copy_some<kCopy, 1>(to, from, step_to, step, inside);
        from += step;
        to += step_to;
      }
      at += kWarpgroup;
      if (at < across_) segment = at / pieces_;
    }
  }

  template <int kCopy, int kCount>
  static __device__ __forceinline__ void copy_some(unsigned to, const unsigned char* from,
                                                   unsigned step_to, long long step, bool valid) {
    if constexpr (kCopy == 2) {
      unsigned values[kCount];
#pragma unroll
      for (int i = 0; i < kCount; ++i)
        values[i] = valid ? *reinterpret_cast<const unsigned short*>(from + i * step) : 0;
#pragma unroll
      for (int i = 0; i < kCount; ++i)
        ptx::st_shared_u16(to + static_cast<unsigned>(i) * step_to, values[i]);
    } else {
#pragma unroll
      for (int i = 0; i < kCount; ++i)
        ptx::cp_async<kCopy>(to + static_cast<unsigned>(i) * step_to, from + i * step, valid);
    }
  }

  long long plane_, image_;  // the numbers of bytes of one channel and of one image of the tensor
  const unsigned char* tensor_;
  int width_, left_, copy_, images_;
  // A segment is the part of one image. skipped_: the number of bytes of padding at the beginning
  // of a segment's row, which are not copied. pieces_: the number of pieces into which a segment's
  // row is divided; one instruction copies a piece. across_: the number of pieces of the row in all
  // segments.
  int skipped_, pieces_, across_;
  // beside_: the number of channels that the threads copy at once. first_piece_, first_plane_,
  // planes_ and segment_ belong to this thread: the number of its first piece of a row, its first
  // channel, the number of its channels, and the image (segment) of its first piece.
  int beside_, first_piece_, first_plane_, planes_, segment_;
};

// A segment is the part of an image that a block multiplies at once. Returns how far its inputs
// begin from its outputs: c0 - stride * p0, where c0 is the segment's first column of inputs in
// shared memory, and p0 is its first column of outputs. `tap_column_positions` is the column of the
// tile's first tap. The result is rounded down to a multiple of the pixels in 16 bytes, because
// each segment is aligned to 16 bytes.
template <OperandType kOperandType>
__device__ __forceinline__ int first_input(const WeightGeometry& g, int tap_column_positions) {
  constexpr int kUnitPixels = kUnit / kBytes<kOperandType>;
  const int column = tap_column_positions * g.column_dilation - g.pad_left;
  return (column >= 0 ? column : column - kUnitPixels + 1) / kUnitPixels * kUnitPixels;
}

// Each row of outputs needs kStride new rows of x, numbered from 0. Returns the row of x that has
// the number `which`, for the row of outputs `row`. The result may lie outside of the image.
template <int kStride>
__device__ __forceinline__ int input_row(const WeightGeometry& g, const Tile& tile, int row,
                                         int which) {
  return row * kStride + which + tile.row * g.row_dilation - g.pad_top;
}

// ---- Consumers: operand A, and products ----

// Loads operand A of a wgmma from shared memory into the registers of a warpgroup.
template <OperandType kOperandType, int kStride>
class Inputs {
 public:
  // `shift` is the distance in pixels from the first pixel of an image in shared memory to the
  // first pixel that this warpgroup's column of taps reads. `pitch` is the distance in bytes
  // between two channels.
  __device__ Inputs(int shift, int pitch) : eight_rows_(8 * pitch) {
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = threadIdx.x % kWarpgroup / 32;
    const int row = warp * 16 + lane / 4;
    if constexpr (kOperandType == OperandType::tf32) {
      at_ = row * pitch + (lane % 4 * kStride + shift) * 4;
    } else {
      at_ = row * pitch + (lane % 4 * kStride + shift / 2) * 4;
      const bool odd = shift % 2 != 0;
      two_words_ = kStride == 2 || odd;
      halves_ = kStride == 2 ? (odd ? 0x7632 : 0x5410) : (odd ? 0x5432 : 0x3210);
    }
  }

  // Loads this lane's registers of operand A for one wgmma. `first` and `second` are the addresses
  // of the two units of pixels (16 bytes each) that the wgmma multiplies.
  __device__ __forceinline__ void load(const unsigned char* first, const unsigned char* second,
                                       unsigned (&a)[4]) const {
    a[0] = pair(first + at_);
    a[1] = pair(first + at_ + eight_rows_);
    a[2] = pair(second + at_);
    a[3] = pair(second + at_ + eight_rows_);
  }

 private:
  __device__ __forceinline__ unsigned pair(const unsigned char* from) const {
    const auto* const words = reinterpret_cast<const unsigned*>(from);
    if constexpr (kOperandType == OperandType::tf32) {
      // wgmma ignores the bits of fp32 that TF32 does not have: this truncates the number. To round
      // instead, half of the last place of TF32 is added before the truncation. Inf and NaN are not
      // changed.
      const unsigned bits = words[0];
      return (bits & 0x7f800000) != 0x7f800000 ? bits + 0x1000 : bits;
    } else {
      const unsigned low = words[0];
      return two_words_ ? __byte_perm(low, words[1], halves_) : low;
    }
  }

  int at_, eight_rows_;
  bool two_words_ = false;
  unsigned halves_ = 0;
};

// Iterates over the units (16 bytes of pixels) of the inputs that a block multiplies: the units of
// each image (segment), one image after the other. If the number of units is odd, the last wgmma
// also reads the unit after the last one. The values of this unit do not matter, because they are
// multiplied by outputs that are zeros. (If one of them is Inf or NaN, the sum becomes NaN, and the
// second kernel computes it again.)
class Units {
 public:
  __device__ Units(const WeightGeometry& g, const unsigned char* first, int step)
      : at_(first), units_(g.units), step_(step), gap_(g.segment_pitch_bytes - g.units * step) {}
  __device__ __forceinline__ const unsigned char* next() {
    const unsigned char* const result = at_;
    at_ += step_;
    if (++unit_ == units_) {
      unit_ = 0;
      at_ += gap_;
    }
    return result;
  }

 private:
  const unsigned char* at_;
  int units_, step_, gap_, unit_ = 0;
};

// Adds the products of one row of inputs with each row of taps whose bit in kTapMask is set. A step
// multiplies two units of pixels (16 bytes each). While the wgmma instructions of a step run, the
// inputs of the next step are loaded into registers.
template <int kTapMask, OperandType kOperandType, int kStride>
__device__ __forceinline__ void add_row(const WeightGeometry& g,
                                        const Inputs<kOperandType, kStride>& inputs,
                                        const unsigned char* x,
                                        const std::uint64_t (&dy)[kTileRows],
                                        float (&accum)[kTileRows][32]) {
  Units units(g, x, kUnit * kStride);
  // Operand A of the steps with even and with odd numbers: 64 channels x 32 bytes of pixels.
  unsigned even[4], odd[4];
  const auto load = [&](unsigned(&a)[4]) {
    const unsigned char* const first = units.next();
    inputs.load(first, units.next(), a);
  };
  const auto multiply = [&](const unsigned(&a)[4], int step) {
    ptx::wgmma_fence();
#pragma unroll
    for (int tap = 0; tap < kTileRows; ++tap)
      if ((kTapMask >> tap & 1) != 0)
        ptx::wgmma_mma_async_rs<kOperandType>(
            accum[tap], a, dy[tap] + static_cast<unsigned>(step * (2 * kUnitPitch / 16)));
    ptx::wgmma_commit_group();
  };
  load(even);
  int step = 0;
  for (; step + 1 < g.steps; step += 2) {
    multiply(even, step);
    load(odd);
    ptx::wgmma_wait_group<0>();
    multiply(odd, step + 1);
    load(even);
    ptx::wgmma_wait_group<0>();
  }
  if (step < g.steps) {
    multiply(even, step);
    ptx::wgmma_wait_group<0>();
  }
}

// ---- Pipeline between producer and consumers ----

// Calls cp_async_wait_group<count>(), where `count` is known only at run time.
__device__ __forceinline__ void wait_for_copies(int count) {
  switch (count) {
    case 0:
      return ptx::cp_async_wait_group<0>();
    case 1:
      return ptx::cp_async_wait_group<1>();
    default:
      return ptx::cp_async_wait_group<kMostDepth - 2>();
  }
}

// The producer and a consumer warpgroup wait for each other through named barriers, whose numbers
// these functions return. The full barrier opens when a line of data is in shared memory. The empty
// barrier opens when the line has been read. There are two barriers of each kind, for even and for
// odd lines. So a barrier is used again only two lines later, when both warpgroups have passed it.
constexpr int kPair = 2 * kWarpgroup;
__device__ __forceinline__ int full_barrier(int warpgroup, int line) {
  return 1 + warpgroup * 2 + (line & 1);
}
__device__ __forceinline__ int empty_barrier(int warpgroup, int line) {
  return full_barrier(kTileColumns, 0) + warpgroup * 2 + (line & 1);
}

// Producer: copies the lines (rows of outputs with their inputs) from `begin` to `end`. The last
// rows of taps multiply the first lines of x by lines of dy that are up to `lag` lines before
// `begin`. So these lines of dy are copied, too.
template <OperandType kOperandType, int kStride>
__device__ __forceinline__ void produce(const WeightGeometry& g, const Tile& tile, const void* x,
                                        const void* dy, unsigned shared, int begin, int end) {
  constexpr int kElement = kBytes<kOperandType>;
  const Planes inputs(g, x, kElement, g.channels, tile.channel, g.height, g.width,
                      first_input<kOperandType>(g, tile.column) * kElement, g.x_units * kUnit,
                      g.copy_x_bytes);
  const Planes outputs(g, dy, kElement, g.filters, tile.filter, g.out_height, g.out_width, 0,
                       g.units * kUnit, g.copy_y_bytes);
  // The number of later lines (rows of data) whose copies may still run when a line is handed to
  // the consumers.
  const int ahead = g.depth - 2;
  // Lines (rows) of dy before line 0 do not exist and count as zeros. They need no copy, because
  // shared memory is filled with zeros at the beginning.
  int line = max(begin - g.lag, 0);
  Line at(g, line);
  for (; line < end + ahead; ++line) {
    if (line - g.depth >= begin)
      for (int i = 0; i < kTileColumns; ++i)
        ptx::barrier_sync(empty_barrier(i, line - g.depth), kPair);
    if (line < end) {
      const int shift = at.strip * g.units * kUnit;
      unsigned to = shared + static_cast<unsigned>(at.x_slot * g.x_line_bytes);
      for (int i = 0; i < kStride; ++i) {
        const int row = input_row<kStride>(g, tile, at.row, i);
        if (line >= begin && row >= 0 && row < g.height)
          inputs.copy<kElement>(
              at.image, row, shift * kStride, true, g.x_pitch_bytes, [&](int byte, int segment) {
                return to + static_cast<unsigned>(segment * g.segment_pitch_bytes + byte);
              });
        to += static_cast<unsigned>(kTileChannels * g.x_pitch_bytes);
      }
      to = shared + static_cast<unsigned>(g.y_at + at.y_slot * g.y_line_bytes);
      const bool valid = at.row < g.out_height;
      outputs.copy<kElement>(
          at.image, valid ? at.row : 0, shift, valid, kUnit, [&](int byte, int segment) {
            return to + static_cast<unsigned>((segment * g.units + byte / kUnit) * kUnitPitch +
                                              byte % kUnit);
          });
      at.next(g);
    }
    if (line < begin) continue;
    ptx::cp_async_commit_group();
    if (line - ahead < begin) continue;
    wait_for_copies(ahead);
    ptx::fence_proxy_async();
    for (int i = 0; i < kTileColumns; ++i)
      ptx::barrier_arrive(full_barrier(i, line - ahead), kPair);
  }
}

// Consumer: multiplies the lines (rows of outputs with their inputs) from `begin` to `end`, and
// adds the products to `accum`. The calling warpgroup does this for its column of taps.
template <OperandType kOperandType, int kStride>
__device__ __forceinline__ void consume(const WeightGeometry& g, const Tile& tile,
                                        const unsigned char* shared, int begin, int end,
                                        float (&accum)[kTileRows][32]) {
  const int warpgroup = static_cast<int>(threadIdx.x) / kWarpgroup;
  const int column = tile.column + warpgroup;
  const int shift =
      column * g.column_dilation - g.pad_left - first_input<kOperandType>(g, tile.column);
  // If the filter has no column of taps for this warpgroup, the warpgroup reads the pixels of shift
  // 0, so that it reads valid memory. Its sums are not stored.
  const Inputs<kOperandType, kStride> inputs(column < g.columns ? shift : 0, g.x_pitch_bytes);
  const unsigned y_address = ptx::shared_address(shared + g.y_at);
  const int taps = g.rows - tile.row;
  Line at(g, begin);
  for (int line = begin; line < end; ++line) {
    ptx::barrier_sync(full_barrier(warpgroup, line), kPair);
    // Operand B for each row of taps: the descriptor of 64 filters x 32 bytes of K.
    std::uint64_t dy[kTileRows];
#pragma unroll
    for (int tap = 0; tap < kTileRows; ++tap) {
      int slot = at.y_slot - tap / kStride * g.tap_lag;
      if (slot < 0) slot += g.y_lines;
      dy[tap] = ptx::make_smem_descriptor(y_address + static_cast<unsigned>(slot * g.y_line_bytes),
                                          8 * kUnit, kUnitPitch);
    }
    const unsigned char* const x = shared + at.x_slot * g.x_line_bytes;
    const auto is_valid = [&](int i) {
      const int row = input_row<kStride>(g, tile, at.row, i);
      return row >= 0 && row < g.height;
    };
    // Each row of outputs has kStride rows of inputs. Input row i of them is multiplied by dy for
    // the rows of taps i, i + kStride, and so on.
    if (is_valid(0)) {
      if (taps >= 3)
        add_row<kStride == 1 ? 7 : 5>(g, inputs, x, dy, accum);
      else if (taps == 2 && kStride == 1)
        add_row<3>(g, inputs, x, dy, accum);
      else
        add_row<1>(g, inputs, x, dy, accum);
    }
    if constexpr (kStride == 2)
      if (taps >= 2 && is_valid(1))
        add_row<2>(g, inputs, x + kTileChannels * g.x_pitch_bytes, dy, accum);
    at.next(g);
    if (line + 2 < end) ptx::barrier_arrive(empty_barrier(warpgroup, line), kPair);
  }
}

// Epilogue: writes the sums of one column of taps to the workspace, as partials of this block's
// split.
__device__ __forceinline__ void store_partials(const WeightGeometry& g, const Tile& tile, int split,
                                               int column, const float (&accum)[kTileRows][32],
                                               float* partials) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = threadIdx.x % kWarpgroup / 32;
  const int all_channels = g.channel_blocks * kTileChannels;
  const int all_filters = g.filter_blocks * kTileFilters;
  const int channel = tile.channel + warp * 16 + lane / 4, filter = tile.filter + lane % 4 * 2;
#pragma unroll
  for (int tap = 0; tap < kTileRows; ++tap) {
    const int row = tile.row + tap;
    if (row >= g.rows) break;
    float* const part =
        partials + ((static_cast<long long>(split) * g.rows + row) * g.columns + column) *
                       all_channels * all_filters;
#pragma unroll
    for (int i = 0; i < 16; ++i)
      *reinterpret_cast<float2*>(part + static_cast<long long>(channel + i % 2 * 8) * all_filters +
                                 filter + i / 2 * 8) =
          make_float2(accum[tap][i * 2], accum[tap][i * 2 + 1]);
  }
}

// ---- The kernels ----

template <OperandType kOperandType, int kStride>
__device__ __forceinline__ void sum_lines(const WeightGeometry& g, const void* x, const void* dy,
                                          float* partials) {
  unsigned char* const shared = ptx::dynamic_shared();
  unsigned rest = blockIdx.x;
  const auto take = [&](int extent) {
    const unsigned whole = rest / static_cast<unsigned>(extent);
    const auto index = static_cast<int>(rest - whole * static_cast<unsigned>(extent));
    rest = whole;
    return index;
  };
  Tile tile;
  tile.filter = take(g.filter_blocks) * kTileFilters;
  tile.channel = take(g.channel_blocks) * kTileChannels;
  tile.row = take(g.row_blocks) * kTileRows;
  tile.column = take(g.column_blocks) * kTileColumns;
  const auto split = static_cast<int>(rest);
  const auto begin = static_cast<int>(static_cast<long long>(g.lines) * split / g.splits);
  const auto end = static_cast<int>(static_cast<long long>(g.lines) * (split + 1) / g.splits);

  // Fills shared memory with zeros. The products also read bytes into which nothing is copied, so
  // these bytes must not contain Inf or NaN.
  const int bytes = g.y_at + g.y_lines * g.y_line_bytes;
  for (int i = static_cast<int>(threadIdx.x) * 16; i < bytes; i += kThreads * 16)
    *reinterpret_cast<uint4*>(shared + i) = make_uint4(0, 0, 0, 0);
  ptx::fence_proxy_async();
  __syncthreads();

  const int warpgroup = static_cast<int>(threadIdx.x) / kWarpgroup;
  if (warpgroup == kTileColumns) {
    ptx::setmaxnreg_dec<80>();
    const unsigned address = ptx::shared_address(shared);
    produce<kOperandType, kStride>(g, tile, x, dy, address, begin, end);
  } else {
    ptx::setmaxnreg_inc<144>();
    // The sums of a warpgroup: for each row of taps, 64 channels x 64 filters.
    float accum[kTileRows][32] = {};
    consume<kOperandType, kStride>(g, tile, shared, begin, end, accum);

    const int column = tile.column + warpgroup;
    if (column < g.columns) store_partials(g, tile, split, column, accum, partials);
  }
}

}  // namespace

// The kernels' names are atc_dense_weight_<operand type>_s<stride>.
#define ATC_DENSE(type, stride)                                                                   \
  extern "C" __global__ void __launch_bounds__(kThreads, 1) atc_dense_weight_##type##_s##stride(  \
      const __grid_constant__ WeightGeometry g, const void* x, const void* dy, float* partials) { \
    sum_lines<OperandType::type, stride>(g, x, dy, partials);                                     \
  }
ATC_DENSE(f16, 1)
ATC_DENSE(f16, 2)
ATC_DENSE(bf16, 1)
ATC_DENSE(bf16, 2)
ATC_DENSE(tf32, 1)
ATC_DENSE(tf32, 2)

#undef ATC_DENSE

}  // namespace atc::dense
