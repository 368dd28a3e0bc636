// Kernels of the reference engine that compute the whole output of a convolution by matrix products
// in double precision. They are faster than the kernels of convolve.cu for layers with many
// products.
//
// The operands must not contain Inf or NaN. The reason is that these kernels also multiply padding,
// as zeros: 0 times Inf or NaN would make a NaN that a convolution does not have.
//
// For each group of the convolution, the output is a matrix product with these rows, columns and
// summands. (A tap is one element of the kernel's window.)
//   direction         rows                  columns                    summands
//   forward           positions of y        output channels            taps x input channels
//   backward-data     positions of x        input channels             taps x output channels
//   backward-weight   output channels       input channels x taps      positions of y
//
// A block has kSide x kSide threads. It computes a tile of kSide * kEach rows and kSide * kEach
// columns of the output matrix. Each thread computes kEach x kEach elements of the tile. In each
// step of the main loop the block loads kSide summands of all these sums (a slice) into shared
// memory and multiplies them.
//
// In the direction backward-weight an element may have millions of summands. Then several blocks
// share a tile (split-K): each block adds a part of the summands, and a second kernel adds the
// parts. On an H200 a block then takes about a millisecond. This matters if the reference runs
// beside a program: kernels of the program wait for blocks that run already, whatever their
// priority.
#include "engines/reference/cuda/summands.cuh"

namespace atc::reference {

namespace {

constexpr int kSide = 16;

struct Element {
  double value;
  __device__ void add(double term) { value += term; }
  __device__ void multiply(double factor) { value *= factor; }
};

// The factors of both operands for kSide summands, in shared memory.
template <int kEach>
struct Slice {
  // The factors `a` are indexed by summand and row, the factors `b` by summand and column. One
  // additional element in each line avoids bank conflicts.
  double a[kSide][kSide * kEach + 1];
  double b[kSide][kSide * kEach + 1];
};

// A tile (a rectangular part) of the output matrix.
struct Tile {
  long long group, row, column;  // the group, row and column of the tile's first element
};

__device__ long long rows_of(const DeviceGeometry& g) {
  if (g.direction == 3) return g.group_out;
  const long long* const extents = g.direction == 1 ? g.out : g.in;
  return g.batch * extents[0] * extents[1] * extents[2];
}

__device__ long long taps_of(const DeviceGeometry& g) {
  return g.kernel[0] * g.kernel[1] * g.kernel[2];
}

__device__ long long columns_of(const DeviceGeometry& g) {
  return g.direction == 1 ? g.group_out : g.direction == 2 ? g.group_in : g.group_in * taps_of(g);
}

// Splits a number into three spatial indices, the last dimension first. Returns the quotient that
// remains, such as the number of the image.
__device__ long long split(long long number, const long long* extents, long long* index) {
  for (int d = 2; d >= 0; --d) {
    index[d] = number % extents[d];
    number /= extents[d];
  }
  return number;
}

// Multiplies the factors in the slice, and adds the products to the thread's accumulators `sums`.
template <int kEach>
__device__ void multiply(const Slice<kEach>& slice, double (&sums)[kEach][kEach]) {
  const int row = threadIdx.x / kSide, column = threadIdx.x % kSide;
#pragma unroll 4
  for (int s = 0; s < kSide; ++s) {
    double a[kEach], b[kEach];
    for (int i = 0; i < kEach; ++i) a[i] = slice.a[s][row + kSide * i];
    for (int j = 0; j < kEach; ++j) b[j] = slice.b[s][column + kSide * j];
    for (int i = 0; i < kEach; ++i)
      for (int j = 0; j < kEach; ++j) sums[i][j] += a[i] * b[j];
  }
}

// Adds all products of a tile in the directions forward and backward-data. For each slice, a thread
// loads the factors of one summand, for kEach rows and kEach columns.
template <int kEach>
__device__ void add_taps(const DeviceGeometry& g, const DeviceOperands& p, const Tile& tile,
                         Slice<kEach>& slice, double (&sums)[kEach][kEach]) {
  const bool forward = g.direction == 1;
  const DeviceTensor& source = forward ? g.x : g.y;
  const void* const data = forward ? p.x : p.y;
  const long long channels = forward ? g.group_in : g.group_out;
  const long long w_step = g.w.strides[forward ? 1 : 0], w_column = g.w.strides[forward ? 0 : 1];
  const long long rows = rows_of(g), columns = columns_of(g);
  const int summand = threadIdx.x % kSide, lane = threadIdx.x / kSide;
  long long image[kEach], place[kEach][3];
  for (int i = 0; i < kEach; ++i) {
    const long long row = tile.row + lane + kSide * i;
    image[i] = row < rows ? split(row, forward ? g.out : g.in, place[i]) : -1;
  }
  // The offset of the first weight of the group (its first output channel and its first input
  // channel).
  const long long w_group = tile.group * g.group_out * g.w.strides[0];
  long long t[3], other[3];
  for (t[0] = 0; t[0] < g.kernel[0]; ++t[0])
    for (t[1] = 0; t[1] < g.kernel[1]; ++t[1])
      for (t[2] = 0; t[2] < g.kernel[2]; ++t[2]) {
        long long from[kEach];
        for (int i = 0; i < kEach; ++i) {
          const bool inside = image[i] >= 0 && (forward ? input_of(g, place[i], t, other)
                                                        : output_of(g, place[i], t, other));
          from[i] = inside ? offset_of(source, image[i], tile.group * channels, other) : -1;
        }
        const long long w_tap = w_group + offset_of(g.w, 0, 0, t);
        for (long long first = 0; first < channels; first += kSide) {
          const long long channel = first + summand;
          const bool there = channel < channels;
          for (int i = 0; i < kEach; ++i)
            slice.a[summand][lane + kSide * i] =
                there && from[i] >= 0
                    ? cuda::load_element(data, source.dtype, from[i] + channel * source.strides[1])
                    : 0;
          for (int j = 0; j < kEach; ++j) {
            const long long column = tile.column + lane + kSide * j;
            slice.b[summand][lane + kSide * j] =
                there && column < columns
                    ? cuda::load_element(p.w, g.w.dtype,
                                         w_tap + channel * w_step + column * w_column)
                    : 0;
          }
          __syncthreads();
          multiply(slice, sums);
          __syncthreads();
        }
      }
}

// Adds products of a tile in the direction backward-weight: those of the positions of y with the
// numbers from `begin` up to `end` (exclusive). The positions of all images are numbered, the first
// image first.
template <int kEach>
__device__ void add_positions(const DeviceGeometry& g, const DeviceOperands& p, const Tile& tile,
                              long long begin, long long end, Slice<kEach>& slice,
                              double (&sums)[kEach][kEach]) {
  const long long rows = rows_of(g), columns = columns_of(g);
  const int summand = threadIdx.x % kSide, lane = threadIdx.x / kSide;
  long long channel[kEach], tap[kEach][3];
  for (int j = 0; j < kEach; ++j) {
    const long long column = tile.column + lane + kSide * j;
    channel[j] = column < columns ? split(column, g.kernel, tap[j]) : -1;
  }
  long long o[3], i[3];
  long long n = split(begin + summand, g.out, o);
  for (long long first = begin; first < end; first += kSide) {
    const bool there = first + summand < end;
    for (int r = 0; r < kEach; ++r) {
      const long long row = tile.row + lane + kSide * r;
      slice.a[summand][lane + kSide * r] =
          there && row < rows ? at(g.y, p.y, n, tile.group * g.group_out + row, o) : 0;
    }
    for (int j = 0; j < kEach; ++j)
      slice.b[summand][lane + kSide * j] =
          there && channel[j] >= 0 && input_of(g, o, tap[j], i)
              ? at(g.x, p.x, n, tile.group * g.group_in + channel[j], i)
              : 0;
    // Advances the position `o` of image `n` by kSide positions. This loop is faster than
    // divisions.
    o[2] += kSide;
    while (o[2] >= g.out[2]) {
      o[2] -= g.out[2];
      if (++o[1] < g.out[1]) continue;
      o[1] = 0;
      if (++o[0] < g.out[0]) continue;
      o[0] = 0;
      ++n;
    }
    __syncthreads();
    multiply(slice, sums);
    __syncthreads();
  }
}

// Writes the element of the output at a row and column of the matrix product. `value` is the sum of
// the element's products.
__device__ void store(const DeviceGeometry& g, const DeviceOperands& p, const Tile& tile,
                      long long row, long long column, double value, void* result) {
  Element sum{value};
  long long index[5];
  if (g.direction == 3) {
    index[0] = tile.group * g.group_out + row;
    index[1] = split(column, g.kernel, index + 2);
  } else {
    index[0] = split(row, g.direction == 1 ? g.out : g.in, index + 2);
    index[1] = tile.group * (g.direction == 1 ? g.group_out : g.group_in) + column;
  }
  finish(g, p, index, sum);
  cuda::store_element(result, output(g).dtype, offset_of(output(g), index[0], index[1], index + 2),
                      sum.value);
}

// Returns the number of tiles of kTile x kTile elements that cover the output of all groups.
template <int kTile>
__device__ long long tiles_of(const DeviceGeometry& g) {
  const long long down = (rows_of(g) + kTile - 1) / kTile;
  return g.groups * down * ((columns_of(g) + kTile - 1) / kTile);
}

template <int kTile>
__device__ Tile tile_at(const DeviceGeometry& g, long long number) {
  const long long down = (rows_of(g) + kTile - 1) / kTile;
  const long long across = (columns_of(g) + kTile - 1) / kTile;
  return {number / (down * across), number / across % down * kTile, number % across * kTile};
}

// Calls `store_one(row, column, sum)` for each of the thread's sums that is an element of the
// output.
template <int kEach, typename StoreOne>
__device__ void store_all(const DeviceGeometry& g, const Tile& tile,
                          const double (&sums)[kEach][kEach], const StoreOne& store_one) {
  for (int i = 0; i < kEach; ++i)
    for (int j = 0; j < kEach; ++j) {
      const long long row = tile.row + threadIdx.x / kSide + kSide * i;
      const long long column = tile.column + threadIdx.x % kSide + kSide * j;
      if (row < rows_of(g) && column < columns_of(g)) store_one(row, column, sums[i][j]);
    }
}

// Computes the whole output in the directions forward and backward-data.
template <int kEach>
__device__ void convolve(const DeviceGeometry& g, const DeviceOperands& p, void* result) {
  __shared__ Slice<kEach> slice;
  for (long long number = blockIdx.x; number < tiles_of<kSide * kEach>(g); number += gridDim.x) {
    const Tile tile = tile_at<kSide * kEach>(g, number);
    double sums[kEach][kEach] = {};
    add_taps(g, p, tile, slice, sums);
    store_all(g, tile, sums, [&](long long row, long long column, double sum) {
      store(g, p, tile, row, column, sum, result);
    });
  }
}

// Computes partial sums in the direction backward-weight. `splits` blocks share a tile. `parts` has
// for each split the matrices of all groups, row by row. If there is one split, `parts` may be
// null; then the sums are written to `result`.
template <int kEach>
__device__ void add_parts(const DeviceGeometry& g, const DeviceOperands& p, long long splits,
                          double* parts, void* result) {
  __shared__ Slice<kEach> slice;
  const long long positions = g.batch * g.out[0] * g.out[1] * g.out[2];
  const long long tiles = tiles_of<kSide * kEach>(g), rows = rows_of(g), columns = columns_of(g);
  for (long long number = blockIdx.x; number < tiles * splits; number += gridDim.x) {
    const long long part = number / tiles;
    const Tile tile = tile_at<kSide * kEach>(g, number % tiles);
    double sums[kEach][kEach] = {};
    add_positions(g, p, tile, positions * part / splits, positions * (part + 1) / splits, slice,
                  sums);
    const long long first = (part * g.groups + tile.group) * rows * columns;
    store_all(g, tile, sums, [&](long long row, long long column, double sum) {
      if (parts == nullptr)
        store(g, p, tile, row, column, sum, result);
      else
        parts[first + row * columns + column] = sum;
    });
  }
}

}  // namespace

// The kernel for large outputs: a tile has 64 x 64 elements.
extern "C" __global__ void __launch_bounds__(kSide* kSide)
    atc_reference_convolve_finite(DeviceGeometry g, DeviceOperands p, void* result) {
  convolve<4>(g, p, result);
}

// The kernel for outputs with few elements: a tile has 16 x 16 elements.
extern "C" __global__ void __launch_bounds__(kSide* kSide)
    atc_reference_convolve_finite_few(DeviceGeometry g, DeviceOperands p, void* result) {
  convolve<1>(g, p, result);
}

// The kernels for the gradient of the weights, with tiles of 64 x 64 and of 16 x 16 elements.
extern "C" __global__ void __launch_bounds__(kSide* kSide)
    atc_reference_weight_parts(DeviceGeometry g, DeviceOperands p, long long splits, double* parts,
                               void* result) {
  add_parts<4>(g, p, splits, parts, result);
}
extern "C" __global__ void __launch_bounds__(kSide* kSide)
    atc_reference_weight_parts_few(DeviceGeometry g, DeviceOperands p, long long splits,
                                   double* parts, void* result) {
  add_parts<1>(g, p, splits, parts, result);
}

// Adds the partial sums of each element of the gradient of the weights.
extern "C" __global__ void atc_reference_weight_sums(DeviceGeometry g, DeviceOperands p,
                                                     long long splits, const double* parts,
                                                     void* result) {
  const long long rows = rows_of(g), columns = columns_of(g);
  const long long elements = g.groups * rows * columns;
  for (long long i = cuda::first_index(); i < elements; i += cuda::index_step()) {
    double sum = 0;
    for (long long part = 0; part < splits; ++part) sum += parts[part * elements + i];
    const Tile tile{i / (rows * columns), 0, 0};
    store(g, p, tile, i / columns % rows, i % columns, sum, result);
  }
}

}  // namespace atc::reference
