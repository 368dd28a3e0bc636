// Gradients of dense filters on tensor cores: the inputs of a tap, shifted by a pixel and so out of
// step with sixteen bytes, are the products' factor in registers; the outputs' gradient is the one
// in shared memory. A block sums a share of all lines for one tile; parts are added in order
// afterwards.
//
// Pixels of padding are zeros here: what is not finite among the outputs' gradient makes NaN of
// them, which the kernel that adds the parts mends.
#include "engines/kernels/dense/backward_weight_geometry.hpp"
#include "engines/kernels/dense/backward_weight_wgmma.cuh"
#include "engines/kernels/ptx.cuh"

namespace atc::dense {

namespace {

using ptx::Factors;

template <Factors kFactors>
constexpr int kBytes = kFactors == Factors::tf32 ? 4 : 2;

// The tile of a block.
struct Tile {
  int channel, filter;  // first
  int row, column;      // first tap
};

// Where a line is in its tensors.
struct Line {
  int image, column, row;  // first image; of outputs

  __device__ Line(const WeightGeometry& g, int line, int unit_pixels) {
    const int strip = line / g.strip_lines;
    row = line - strip * g.strip_lines;
    const int images = strip / g.strips;
    image = images * g.segments;
    column = (strip - images * g.strips) * g.units * unit_pixels;
  }
};

// Rows of up to 64 planes of neighbouring images on their way into shared memory.
struct Rows {
  const unsigned char* tensor;
  long long image, plane;  // bytes
  int planes, images;      // that there are, from the first on
  int row_at;              // bytes from a plane's first to the row's
  int left, width;         // bytes, of what is copied from the row and of the row
  int pieces, segments;    // of a segment
  int pitch;               // bytes from a plane to the next in shared memory
  bool real;               // zeros elsewhere
};

// Copies pieces of kCopy bytes; `place` says where (byte, segment) of the first plane goes. A thread
// has the same piece of every plane, or of every few.
template <int kCopy, typename Place>
__device__ __forceinline__ void copy_rows(const Rows& rows, const Place& place) {
  constexpr int kAtOnce = kCopy == 2 ? 8 : 4;
  const int thread = static_cast<int>(threadIdx.x) - kConsumers;
  const int across = rows.pieces * rows.segments;
  if (across == 0) return;
  const int beside = max(kWarpgroup / across, 1), first = min(thread / across, beside);
  // Threads that are left over when a row of planes has its own have none.
  const int begin = across >= kWarpgroup ? thread : first < beside ? thread - first * across : across;
  for (int at = begin; at < across; at += kWarpgroup) {
    const int segment = at / rows.pieces, byte = (at - segment * rows.pieces) * kCopy;
    const int column = rows.left + byte;
    const bool real =
        rows.real && column >= 0 && column < rows.width && segment < rows.images;
    int plane = across >= kWarpgroup ? 0 : first;
    const unsigned char* from =
        rows.tensor + plane * rows.plane + (real ? segment * rows.image + rows.row_at + column : 0);
    unsigned to = place(byte, segment) + static_cast<unsigned>(plane * rows.pitch);
    const long long step = beside * rows.plane;
    const auto step_to = static_cast<unsigned>(beside * rows.pitch);
    for (; plane < kTileChannels; plane += kAtOnce * beside) {
      if constexpr (kCopy == 2) {
        unsigned values[kAtOnce];
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i)
          values[i] = real && plane + i * beside < rows.planes
                          ? *reinterpret_cast<const unsigned short*>(from + i * step)
                          : 0;
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i)
          if (plane + i * beside < kTileChannels)
            ptx::store_shared_2(to + static_cast<unsigned>(i) * step_to, values[i]);
      } else {
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i)
          if (plane + i * beside < kTileChannels)
            ptx::copy_async<kCopy>(to + static_cast<unsigned>(i) * step_to, from + i * step,
                                   real && plane + i * beside < rows.planes);
      }
      from += kAtOnce * step;
      to += kAtOnce * step_to;
    }
  }
}

template <int kElement, typename Place>
__device__ __forceinline__ void copy_rows(int bytes, const Rows& rows, const Place& place) {
  switch (bytes) {
    case 16:
      return copy_rows<16>(rows, place);
    case 8:
      return copy_rows<8>(rows, place);
    case 4:
      return copy_rows<4>(rows, place);
    default:
      if constexpr (kElement == 2) copy_rows<2>(rows, place);
  }
}

// The first column of inputs that a segment has in shared memory, from its first output's on, and
// how far left of it is what the tile's column `column` meets. Units of sixteen bytes are aligned.
__device__ __forceinline__ int floor_to(int value, int unit) {
  return value >= 0 ? value / unit * unit : -((-value + unit - 1) / unit * unit);
}

template <Factors kFactors>
__device__ __forceinline__ int first_input(const WeightGeometry& g, int tap_column) {
  return floor_to(tap_column * g.column_dilation - g.pad_left, kUnit / kBytes<kFactors>);
}

// Of a line that is as wide as its image, what is beyond the image are zeros that no copy writes:
// leaves that out. The bytes left out before the first piece.
__device__ __forceinline__ int leave_out_padding(int copy, Rows& rows) {
  const int before = max(0, -rows.left);
  const int end = min(rows.left + rows.pieces * copy, rows.width);
  rows.left += before;
  rows.pieces = max(0, end - rows.left) / copy;
  return before;
}

template <Factors kFactors>
__device__ __forceinline__ void copy_outputs(const WeightGeometry& g, const Tile& tile,
                                             const void* dy, unsigned shared, int line) {
  constexpr int kElement = kBytes<kFactors>;
  const int slot = line >= 0 ? line % g.y_lines : g.y_lines + line;
  const Line at(g, line >= 0 ? line : 0, kUnit / kElement);
  const int plane = g.out_height * g.out_width;
  Rows rows;
  rows.plane = static_cast<long long>(plane) * kElement;
  rows.image = rows.plane * g.filters;
  rows.tensor =
      static_cast<const unsigned char*>(dy) + at.image * rows.image + tile.filter * rows.plane;
  rows.planes = g.filters - tile.filter;
  rows.images = g.images - at.image;
  rows.row_at = at.row * g.out_width * kElement;
  rows.left = at.column * kElement;
  rows.width = g.out_width * kElement;
  rows.pieces = g.units * kUnit / g.copy_y;
  rows.segments = g.segments;
  rows.real = line >= 0 && at.row < g.out_height;
  const unsigned to = shared + static_cast<unsigned>(g.y_at + slot * g.y_line);
  rows.pitch = kUnit;
  if (g.strips == 1) leave_out_padding(g.copy_y, rows);
  copy_rows<kElement>(g.copy_y, rows, [&](int byte, int segment) {
    return to + static_cast<unsigned>((segment * g.units + byte / kUnit) * kUnitPitch +
                                      byte % kUnit);
  });
}

// Of one of the line's rows of inputs: in its image or not.
template <int kStride>
__device__ __forceinline__ int input_row(const WeightGeometry& g, const Tile& tile,
                                         const Line& line, int row) {
  return line.row * kStride + row + tile.row * g.row_dilation - g.pad_top;
}

template <Factors kFactors, int kStride>
__device__ __forceinline__ void copy_inputs(const WeightGeometry& g, const Tile& tile,
                                            const void* x, unsigned shared, int line) {
  constexpr int kElement = kBytes<kFactors>;
  const Line at(g, line, kUnit / kElement);
  Rows rows;
  rows.plane = static_cast<long long>(g.height) * g.width * kElement;
  rows.image = rows.plane * g.channels;
  rows.tensor =
      static_cast<const unsigned char*>(x) + at.image * rows.image + tile.channel * rows.plane;
  rows.planes = g.channels - tile.channel;
  rows.images = g.images - at.image;
  rows.left = (at.column * kStride + first_input<kFactors>(g, tile.column)) * kElement;
  rows.width = g.width * kElement;
  rows.pieces = g.x_units * kUnit / g.copy_x;
  rows.segments = g.segments;
  rows.pitch = g.x_pitch;
  unsigned to = shared + static_cast<unsigned>(line % g.depth * g.x_line);
  if (g.strips == 1) to += static_cast<unsigned>(leave_out_padding(g.copy_x, rows));
  for (int i = 0; i < kStride; ++i) {
    const int row = input_row<kStride>(g, tile, at, i);
    rows.real = row >= 0 && row < g.height;
    rows.row_at = row * g.width * kElement;
    if (rows.real)
      copy_rows<kElement>(g.copy_x, rows, [&](int byte, int segment) {
        return to + static_cast<unsigned>(segment * g.segment_pitch + byte);
      });
    to += static_cast<unsigned>(kTileChannels * g.x_pitch);
  }
}

// A warpgroup's factor in registers, read from where this lane's first row of it begins.
template <Factors kFactors, int kStride>
class Inputs {
 public:
  // `shift`: pixels from the first that a segment has to the first that is met.
  __device__ Inputs(int shift, int pitch) : eight_rows_(8 * pitch) {
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = threadIdx.x % kWarpgroup / 32;
    const int row = warp * 16 + lane / 4;
    if constexpr (kFactors == Factors::tf32) {
      at_ = row * pitch + (lane % 4 * kStride + shift) * 4;
    } else {
      at_ = row * pitch + (lane % 4 * kStride + shift / 2) * 4;
      const bool odd = shift % 2 != 0;
      two_words_ = kStride == 2 || odd;
      halves_ = kStride == 2 ? (odd ? 0x7632 : 0x5410) : (odd ? 0x5432 : 0x3210);
    }
  }

  // Of two units that begin at the addresses.
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
    if constexpr (kFactors == Factors::tf32) {
      return ptx::to_tf32(__uint_as_float(words[0]));
    } else {
      const unsigned low = words[0];
      return two_words_ ? __byte_perm(low, words[1], halves_) : low;
    }
  }

  int at_, eight_rows_;
  bool two_words_ = false;
  unsigned halves_ = 0;
};

// Where the units of a line's inputs begin, one after the other. Beyond the last they may be
// anything: those outputs are zeros.
class Units {
 public:
  __device__ Units(const WeightGeometry& g, const unsigned char* first, int step)
      : at_(first), units_(g.units), step_(step), gap_(g.segment_pitch - g.units * step) {}
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

// Adds the products of one row of inputs for the rows of taps in the mask.
template <int kTaps, Factors kFactors, int kStride>
__device__ __forceinline__ void add_row(const WeightGeometry& g,
                                        const Inputs<kFactors, kStride>& inputs,
                                        const unsigned char* x,
                                        const std::uint64_t (&dy)[kTileRows],
                                        float (&sums)[kTileRows][32]) {
  Units units(g, x, kUnit * kStride);
  unsigned even[4], odd[4];
  const auto load = [&](unsigned(&a)[4]) {
    const unsigned char* const first = units.next();
    inputs.load(first, units.next(), a);
  };
  const auto multiply = [&](const unsigned(&a)[4], int step) {
    ptx::begin_products();
#pragma unroll
    for (int tap = 0; tap < kTileRows; ++tap)
      if ((kTaps >> tap & 1) != 0)
        ptx::multiply_add_64<kFactors>(
            sums[tap], a, dy[tap] + static_cast<unsigned>(step * (2 * kUnitPitch / 16)));
    ptx::end_products();
  };
  load(even);
  int step = 0;
  for (; step + 1 < g.steps; step += 2) {
    multiply(even, step);
    load(odd);
    ptx::wait_products<0>();
    multiply(odd, step + 1);
    load(even);
    ptx::wait_products<0>();
  }
  if (step < g.steps) {
    multiply(even, step);
    ptx::wait_products<0>();
  }
}

// Until at most `count` of this thread's latest groups of copies are under way.
__device__ __forceinline__ void wait_for_copies(int count) {
  switch (count) {
    case 0:
      return ptx::wait_async<0>();
    case 1:
      return ptx::wait_async<1>();
    default:
      return ptx::wait_async<kMostDepth - 2>();
  }
}

// What a warpgroup that multiplies and the one that copies tell each other: that a line is there to
// be read, and that it has been. Lines take turns with two barriers of each kind: none is told of
// before the last but one is done with.
constexpr int kPair = 2 * kWarpgroup;
__device__ __forceinline__ int there(int warpgroup, int line) {
  return 1 + warpgroup * 2 + (line & 1);
}
__device__ __forceinline__ int read(int warpgroup, int line) {
  return there(kTileColumns, 0) + warpgroup * 2 + (line & 1);
}

template <Factors kFactors, int kStride>
__device__ __forceinline__ void copy_lines(const WeightGeometry& g, const Tile& tile, const void* x,
                                           const void* dy, unsigned shared, int begin, int end) {
  const int ahead = g.depth - 2;  // lines that are under way while the next is waited for
  for (int line = begin - g.lag; line < begin; ++line)
    copy_outputs<kFactors>(g, tile, dy, shared, line);
  for (int line = begin; line < end + ahead; ++line) {
    if (line - g.depth >= begin)
      for (int i = 0; i < kTileColumns; ++i) ptx::meet(read(i, line - g.depth), kPair);
    if (line < end) {
      copy_inputs<kFactors, kStride>(g, tile, x, shared, line);
      copy_outputs<kFactors>(g, tile, dy, shared, line);
    }
    ptx::commit_async();
    if (line - ahead < begin) continue;
    wait_for_copies(ahead);
    ptx::fence_shared_for_products();
    for (int i = 0; i < kTileColumns; ++i) ptx::arrive(there(i, line - ahead), kPair);
  }
}

template <Factors kFactors, int kStride>
__device__ __forceinline__ void multiply_lines(const WeightGeometry& g, const Tile& tile,
                                               const unsigned char* shared, int begin, int end,
                                               float (&sums)[kTileRows][32]) {
  const int warpgroup = static_cast<int>(threadIdx.x) / kWarpgroup;
  const int column = tile.column + warpgroup;
  const int shift = column * g.column_dilation - g.pad_left - first_input<kFactors>(g, tile.column);
  const Inputs<kFactors, kStride> inputs(shift, g.x_pitch);
  const unsigned y_address = ptx::shared_address(shared + g.y_at);
  const int taps = g.rows - tile.row;
  for (int line = begin; line < end; ++line) {
    ptx::meet(there(warpgroup, line), kPair);
    const Line at(g, line, kUnit / kBytes<kFactors>);
    std::uint64_t dy[kTileRows];
#pragma unroll
    for (int tap = 0; tap < kTileRows; ++tap) {
      const int slot = (line + g.y_lines - tap / kStride * g.tap_lag) % g.y_lines;
      dy[tap] = ptx::factor_in_shared(y_address + static_cast<unsigned>(slot * g.y_line), 8 * kUnit,
                                      kUnitPitch);
    }
    const unsigned char* x = shared + line % g.depth * g.x_line;
    const auto is_real = [&](int i) {
      const int row = input_row<kStride>(g, tile, at, i);
      return row >= 0 && row < g.height && column < g.columns;
    };
    // Of a line's rows of inputs, each meets every kStride-th row of taps.
    if constexpr (kStride == 1) {
      if (!is_real(0)) {
      } else if (taps >= 3) {
        add_row<7>(g, inputs, x, dy, sums);
      } else if (taps == 2) {
        add_row<3>(g, inputs, x, dy, sums);
      } else {
        add_row<1>(g, inputs, x, dy, sums);
      }
    } else {
      if (!is_real(0)) {
      } else if (taps >= 3) {
        add_row<5>(g, inputs, x, dy, sums);
      } else {
        add_row<1>(g, inputs, x, dy, sums);
      }
      if (taps >= 2 && is_real(1))
        add_row<2>(g, inputs, x + kTileChannels * g.x_pitch, dy, sums);
    }
    if (line + 2 < end) ptx::arrive(read(warpgroup, line), kPair);
  }
}

template <Factors kFactors, int kStride>
__device__ __forceinline__ void sum_lines(const WeightGeometry& g, const void* x, const void* dy,
                                          float* parts) {
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

  // Whatever no copy writes is finite.
  const int bytes = g.y_at + g.y_lines * g.y_line;
  for (int i = static_cast<int>(threadIdx.x) * 16; i < bytes; i += kThreads * 16)
    *reinterpret_cast<uint4*>(shared + i) = make_uint4(0, 0, 0, 0);
  ptx::fence_shared_for_products();
  __syncthreads();

  const int warpgroup = static_cast<int>(threadIdx.x) / kWarpgroup;
  if (warpgroup == kTileColumns) {
    ptx::give_up_registers<56>();
    const unsigned address = ptx::shared_address(shared);
    copy_lines<kFactors, kStride>(g, tile, x, dy, address, begin, end);
  } else {
  ptx::take_registers<152>();
  float sums[kTileRows][32] = {};
  multiply_lines<kFactors, kStride>(g, tile, shared, begin, end, sums);

  const int column = tile.column + warpgroup;
  if (column < g.columns) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = threadIdx.x % kWarpgroup / 32;
  const int all_channels = g.channel_blocks * kTileChannels;
  const int all_filters = g.filter_blocks * kTileFilters;
  const int channel = tile.channel + warp * 16 + lane / 4, filter = tile.filter + lane % 4 * 2;
#pragma unroll
  for (int tap = 0; tap < kTileRows; ++tap) {
    const int row = tile.row + tap;
    if (row >= g.rows) break;
    float* const part =
        parts + ((static_cast<long long>(split) * g.rows + row) * g.columns + column) *
                    all_channels * all_filters;
#pragma unroll
    for (int i = 0; i < 16; ++i)
      *reinterpret_cast<float2*>(part + static_cast<long long>(channel + i % 2 * 8) * all_filters +
                                 filter + i / 2 * 8) =
          make_float2(sums[tap][i * 2], sums[tap][i * 2 + 1]);
  }
  }
  }
}

}  // namespace

// atc_dense_weight_<factors>_s<stride>
#define ATC_DENSE(factors, stride)                                                             \
  extern "C" __global__ void __launch_bounds__(kThreads, 1)                                    \
      atc_dense_weight_##factors##_s##stride(const __grid_constant__ WeightGeometry g,         \
                                             const void* x, const void* dy, float* parts) {    \
    sum_lines<Factors::factors, stride>(g, x, dy, parts);                                      \
  }
ATC_DENSE(f16, 1)
ATC_DENSE(f16, 2)
ATC_DENSE(bf16, 1)
ATC_DENSE(bf16, 2)
ATC_DENSE(tf32, 1)
ATC_DENSE(tf32, 2)

#undef ATC_DENSE

}  // namespace atc::dense
