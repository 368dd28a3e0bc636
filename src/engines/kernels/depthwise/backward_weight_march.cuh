// The loop in which a thread goes down a strip of columns of an image, for all kernels of depthwise
// backward-weight that sum a tile of the filter. Each row of x and of dy is loaded once. A row of
// dy is also multiplied by later rows of x, so a ring in registers keeps the last rows of dy. Each
// thread keeps the accumulators of the whole tile.
//
// Contract
//   x, y     dense tensors; aligned to the columns (channels first) or channels (channels last)
//            that are loaded at once; y is the gradient of the outputs
//   refused  dilation, filters without a tile (backward_weight_plan.cpp)
//   assumed  Pixels outside of the image are zeros. Zero times Inf is NaN, which would change the
//            sums of taps that lie in padding. So the kernel that adds the partials computes each
//            sum that is not finite again, only over the pixels inside the image
#pragma once

#include "engines/kernels/depthwise/backward_weight_element.cuh"
#include "engines/kernels/depthwise/backward_weight_geometry.hpp"
#include "engines/kernels/depthwise/copies.cuh"

namespace atc::depthwise {

namespace {

// The most threads of a block in the kernels for channels last.
constexpr int kLastThreads = 128;

// The constants of a kernel. A tile has kRows x kColumns taps of the filter. A strip has kWidth
// columns of dy. A thread computes kVector channels. Rows are loaded kAhead steps before they are
// multiplied. Until then they are kept in registers or, with kInMemory, in shared memory.
//
// With channels first, one instruction loads the kWidth columns of a strip. So the widths of the
// planes must be multiples of kWidth. The padding minus half the width of the filter must also be a
// multiple of kWidth.
template <typename Element_, int kRows_, int kColumns_, int kStride_, int kWidth_, int kVector_,
          int kAhead_, bool kLast_, bool kInMemory_ = false>
struct Tile {
  using Element = Element_;
  static constexpr int kRows = kRows_, kColumns = kColumns_, kStride = kStride_, kWidth = kWidth_,
                       kVector = kVector_, kAhead = kAhead_;
  static constexpr bool kLast = kLast_, kInMemory = kInMemory_;
  // The number of rows of dy by which a row of x is multiplied.
  static constexpr int kRing = (kRows + kStride - 1) / kStride;
  // The number of columns of x that a strip reads.
  static constexpr int kSpan = (kWidth - 1) * kStride + kColumns;
  // The number of columns that one instruction loads.
  static constexpr int kLoad = kLast ? 1 : kWidth;
  // The number of columns that are loaded before the first column that is read.
  static constexpr int kBefore = (kLoad - kColumns / 2 % kLoad) % kLoad;
  using Loads = Piece<Element, kLoad * kVector>;
  static_assert(kInMemory || kRing % kAhead == 0,
                "slots of the ring and of what is loaded ahead turn together");
};

template <typename Tile>
using Sums = float[Tile::kRows][Tile::kColumns][Tile::kVector];

// An iterator over the rows of a strip of an image, for one channel or for a vector of channels.
// Each call of load() or start() loads the next row.
template <typename Element>
struct Rows {
  // The address of the strip's first column in row `row`.
  const Element* next;
  // `row` is the row that is loaded next. Rows outside of [0, rows) are zeros.
  int row, rows;
  int row_pitch, column_pitch;
  // Bit i is set if the columns of load i of a row lie in the image.
  unsigned inside;

  __device__ static Rows start(const Element* image, int row, int rows, int column, int columns,
                               int loads, int columns_of_load, int column_pitch) {
    unsigned inside = 0;
    for (int i = 0; i < loads; ++i) {
      const int first = column + i * columns_of_load;
      if (first >= 0 && first < columns) inside |= 1u << i;
    }
    const int row_pitch = columns * column_pitch;
    return {image + (static_cast<long long>(row) * row_pitch + column * column_pitch),
            row,
            rows,
            row_pitch,
            column_pitch,
            inside};
  }
  template <int kLoad, int kCount, typename Loads>
  __device__ void load(Loads (&pieces)[kCount]) {
    const unsigned mask = row >= 0 && row < rows ? inside : 0;
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      pieces[i] =
          (mask >> i & 1) != 0 ? Loads::load(next + i * kLoad * column_pitch) : Loads::zero();
    next += row_pitch;
    ++row;
  }
  // Starts to copy the next row to shared memory. In shared memory, the columns of the row are
  // `pitch` bytes apart.
  template <int kCount, int kBytes>
  __device__ void start(unsigned char* to, int pitch) {
    const unsigned mask = row >= 0 && row < rows ? inside : 0;
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      cp_async<kBytes>(to + i * pitch, next + i * column_pitch, (mask >> i & 1) != 0);
    next += row_pitch;
    ++row;
  }
};

// Converts the columns in `pieces` to floats, except for the first `before` columns.
template <int kVector, int kCount, int kColumns, typename Element, int kElements>
__device__ inline void unpack(const Piece<Element, kElements> (&pieces)[kCount], int before,
                              float (&columns)[kColumns][kVector]) {
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    float values[kElements];
    pieces[i].unpack(values);
#pragma unroll
    for (int k = 0; k < kElements; ++k) {
      const int column = i * (kElements / kVector) + k / kVector - before;
      if (column >= 0 && column < kColumns) columns[column][k % kVector] = values[k];
    }
  }
}

// The planes of x and dy to which a strip belongs.
template <typename Element>
struct Planes {
  const Element *x, *y;
  // The distance in elements between two columns.
  int column_pitch;
};

// Adds the products of one strip to the sums. The strip has the rows from `first` to `last` - 1 of
// dy, and its columns begin at column `column` of dy. Row o of dy is multiplied by the rows of x
// from o * kStride - pad_row on, and column q of dy by the columns of x from q * kStride -
// pad_column on.
template <typename Tile>
__device__ inline void march(const WeightTasks& t, const Planes<typename Tile::Element>& planes,
                             int first, int last, int column, int pad_row, int pad_column,
                             Sums<Tile>& sums) {
  using Element = typename Tile::Element;
  constexpr int kRing = Tile::kRing, kStride = Tile::kStride, kAhead = Tile::kAhead,
                kLoad = Tile::kLoad, kBefore = Tile::kBefore;
  constexpr int kLoadsOfX = (kBefore + Tile::kSpan + kLoad - 1) / kLoad;
  constexpr int kLoadsOfY = Tile::kWidth / kLoad;
  struct Loaded {
    typename Tile::Loads x[kStride][kLoadsOfX], y[kLoadsOfY];
  };
  const int x_rows = min(t.in_height, (last - 1) * kStride - pad_row + Tile::kRows);
  auto x = Rows<Element>::start(planes.x, first * kStride - pad_row, x_rows,
                                column * kStride - pad_column - kBefore, t.in_width, kLoadsOfX,
                                kLoad, planes.column_pitch);
  auto y = Rows<Element>::start(planes.y, first, last, column, t.out_width, kLoadsOfY, kLoad,
                                planes.column_pitch);
  Loaded loaded[kAhead];
  float ring[kRing][Tile::kWidth][Tile::kVector];
#pragma unroll
  for (int slot = 0; slot < kRing; ++slot)
#pragma unroll
    for (int i = 0; i < Tile::kWidth; ++i)
#pragma unroll
      for (int v = 0; v < Tile::kVector; ++v) ring[slot][i][v] = 0;
  const auto load = [&](Loaded& to) {
    y.template load<kLoad>(to.y);
#pragma unroll
    for (int a = 0; a < kStride; ++a) x.template load<kLoad>(to.x[a]);
  };
#pragma unroll
  for (int i = 0; i < kAhead; ++i) load(loaded[i]);
#pragma unroll 1
  while (x.row - kAhead * kStride < x_rows) {
#pragma unroll
    for (int phase = 0; phase < kRing; ++phase) {
      float values[kStride][Tile::kSpan][Tile::kVector];
      unpack<Tile::kVector>(loaded[phase % kAhead].y, 0, ring[phase]);
#pragma unroll
      for (int a = 0; a < kStride; ++a)
        unpack<Tile::kVector>(loaded[phase % kAhead].x[a], kBefore, values[a]);
      load(loaded[phase % kAhead]);
      // The row of x at which `values` begins.
      const int row = x.row - (kAhead + 1) * kStride;
      if (row <= -kStride || row >= x_rows) continue;
#pragma unroll
      for (int r = 0; r < Tile::kRows; ++r)
#pragma unroll
        for (int i = 0; i < Tile::kWidth; ++i)
#pragma unroll
          for (int s = 0; s < Tile::kColumns; ++s)
#pragma unroll
            for (int v = 0; v < Tile::kVector; ++v)
              sums[r][s][v] =
                  fmaf(values[r % kStride][i * kStride + s][v],
                       ring[(phase + kRing - r / kStride) % kRing][i][v], sums[r][s][v]);
    }
  }
}

// The layout of the rows that are loaded ahead, in the shared memory of a block that has
// kLastThreads threads.
template <typename Tile>
struct Places {
  static constexpr int kBytes = Tile::kVector * static_cast<int>(sizeof(typename Tile::Element));
  static constexpr int kPitch = kBytes * kLastThreads;
  static constexpr int kLoads = Tile::kWidth + Tile::kStride * Tile::kSpan;  // the loads of a step
  static constexpr int kStep = kLoads * kPitch, kSteps = Tile::kAhead + 1;
};

// The loop of march() for channels last, with the rows that are loaded ahead in shared memory. Each
// thread copies only the data that it will read itself, so no thread waits for another. `memory` is
// the address of the first data of this thread in shared memory.
template <typename Tile>
__device__ inline void march_in_memory(const WeightTasks& t,
                                       const Planes<typename Tile::Element>& planes, int first,
                                       int last, int column, int pad_row, int pad_column,
                                       unsigned char* memory, Sums<Tile>& sums) {
  using Element = typename Tile::Element;
  using Here = Places<Tile>;
  constexpr int kRing = Tile::kRing, kStride = Tile::kStride, kAhead = Tile::kAhead;
  const int x_rows = min(t.in_height, (last - 1) * kStride - pad_row + Tile::kRows);
  auto x = Rows<Element>::start(planes.x, first * kStride - pad_row, x_rows,
                                column * kStride - pad_column, t.in_width, Tile::kSpan, 1,
                                planes.column_pitch);
  auto y = Rows<Element>::start(planes.y, first, last, column, t.out_width, Tile::kWidth, 1,
                                planes.column_pitch);
  float ring[kRing][Tile::kWidth][Tile::kVector];
#pragma unroll
  for (int slot = 0; slot < kRing; ++slot)
#pragma unroll
    for (int i = 0; i < Tile::kWidth; ++i)
#pragma unroll
      for (int v = 0; v < Tile::kVector; ++v) ring[slot][i][v] = 0;
  // The offset in shared memory to which the rows of the next step are copied.
  int asked = 0;
  const auto next_of = [](int at) { return at == kAhead * Here::kStep ? 0 : at + Here::kStep; };
  const auto ask = [&] {
    y.template start<Tile::kWidth, Here::kBytes>(memory + asked, Here::kPitch);
#pragma unroll
    for (int a = 0; a < kStride; ++a)
      x.template start<Tile::kSpan, Here::kBytes>(
          memory + asked + (Tile::kWidth + a * Tile::kSpan) * Here::kPitch, Here::kPitch);
    cp_async_commit_group();
    asked = next_of(asked);
  };
  const auto read = [](const unsigned char* from, float(&values)[Tile::kVector]) {
    Vector<Element, Tile::kVector>::load(reinterpret_cast<const Element*>(from)).unpack(values);
  };
#pragma unroll 1
  for (int i = 0; i < kAhead; ++i) ask();
#pragma unroll 1
  while (x.row - kAhead * kStride < x_rows) {
#pragma unroll
    for (int phase = 0; phase < kRing; ++phase) {
      cp_async_wait_group<kAhead - 1>();
      const unsigned char* const step = memory + next_of(asked);
      ask();
      float values[kStride][Tile::kSpan][Tile::kVector];
#pragma unroll
      for (int i = 0; i < Tile::kWidth; ++i) read(step + i * Here::kPitch, ring[phase][i]);
#pragma unroll
      for (int a = 0; a < kStride; ++a)
#pragma unroll
        for (int l = 0; l < Tile::kSpan; ++l)
          read(step + (Tile::kWidth + a * Tile::kSpan + l) * Here::kPitch, values[a][l]);
      // The row of x at which `values` begins.
      const int row = x.row - (kAhead + 1) * kStride;
      if (row <= -kStride || row >= x_rows) continue;
#pragma unroll
      for (int r = 0; r < Tile::kRows; ++r)
#pragma unroll
        for (int i = 0; i < Tile::kWidth; ++i)
#pragma unroll
          for (int s = 0; s < Tile::kColumns; ++s)
#pragma unroll
            for (int v = 0; v < Tile::kVector; ++v)
              sums[r][s][v] =
                  fmaf(values[r % kStride][i * kStride + s][v],
                       ring[(phase + kRing - r / kStride) % kRing][i][v], sums[r][s][v]);
    }
  }
  cp_async_wait_group<0>();
}

// The tap group (one depth of the filter, and a tile of its rows and columns) that this block sums.
// Its number is blockIdx.z.
struct TapGroup {
  // The first tap of the tap group.
  int depth, row, column;
};

__device__ inline TapGroup tap_group(const WeightTasks& tasks, int rows, int columns) {
  const int number = static_cast<int>(blockIdx.z), rest = number / tasks.column_tiles;
  return {rest / tasks.row_tiles, rest % tasks.row_tiles * rows,
          number % tasks.column_tiles * columns};
}

// Adds the products of one task (a strip of columns in a band of rows) to the sums, for a tap group
// (part of the filter). `memory` is the thread's part of shared memory; only tiles with kInMemory
// use it.
template <typename Tile>
__device__ inline void add_task(const WeightTasks& t, const typename Tile::Element* x,
                                const typename Tile::Element* y, const TapGroup& group, int task,
                                int channel, unsigned char* memory, Sums<Tile>& sums) {
  const int strip = task % t.strips, place = task / t.strips;
  const int band = place % t.bands, image = place / t.bands;
  const int sample = image / t.out_depth, out_depth = image % t.out_depth;
  const int in_depth = out_depth * t.depth_stride + group.depth * t.depth_dilation - t.depth_pad;
  if (in_depth < 0 || in_depth >= t.in_depth) return;
  const long long x_plane = static_cast<long long>(t.in_height) * t.in_width;
  const long long y_plane = static_cast<long long>(t.out_height) * t.out_width;
  const long long x_image =
      Tile::kLast
          ? (static_cast<long long>(sample) * t.in_depth + in_depth) * x_plane * t.channels +
                channel
          : ((static_cast<long long>(sample) * t.channels + channel) * t.in_depth + in_depth) *
                x_plane;
  const long long y_image =
      Tile::kLast
          ? image * y_plane * t.channels + channel
          : ((static_cast<long long>(sample) * t.channels + channel) * t.out_depth + out_depth) *
                y_plane;
  const int pitch = Tile::kLast ? t.channels : 1, first = band * t.band_height;
  const int end = min(first + t.band_height, t.out_height), column = strip * Tile::kWidth;
  const int pad_row = t.pad_height - group.row, pad_column = t.pad_width - group.column;
  const Planes<typename Tile::Element> planes{x + x_image, y + y_image, pitch};
  if constexpr (Tile::kInMemory)
    march_in_memory<Tile>(t, planes, first, end, column, pad_row, pad_column, memory, sums);
  else
    march<Tile>(t, planes, first, end, column, pad_row, pad_column, sums);
}

template <typename Tile>
__device__ inline void clear(Sums<Tile>& sums) {
#pragma unroll
  for (int r = 0; r < Tile::kRows; ++r)
#pragma unroll
    for (int s = 0; s < Tile::kColumns; ++s)
#pragma unroll
      for (int v = 0; v < Tile::kVector; ++v) sums[r][s][v] = 0;
}

}  // namespace

}  // namespace atc::depthwise
