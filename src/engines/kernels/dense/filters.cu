// Packs the filters for dense/convolve.cu as operand A: [row tile][chunk][tap][unit][row][8
// channels]. A row tile is the rows of the filter matrix that a block of convolve.cu computes. A
// unit is eight channels. A chunk is the units of one stage of convolve.cu. So the filters of a
// stage are contiguous. Rows and channels after the last one are zeros.
//
// Contract
//   w       16 bits, any strides (FilterView)
//   to      aligned to 16 bytes
//   grid    x: one block for each kRows rows, y: one block for each unit of channels
//   shared  kRows * kUnitBytes * taps bytes: the elements that a block packs
#include <cstdint>

#include "engines/kernels/dense/geometry.hpp"
#include "engines/kernels/ptx.cuh"

namespace atc::dense {

namespace {

__device__ __forceinline__ int divide(int value, unsigned by) {
  return by == 0 ? value : static_cast<int>(__umulhi(static_cast<unsigned>(value), by));
}

}  // namespace

// `view` describes the layout of the filters, `w` points to the filters of the caller, and `to`
// points to the memory for the packed filters.
extern "C" __global__ void atc_dense_pack(const __grid_constant__ FilterView view,
                                          const unsigned short* w, unsigned char* to) {
  unsigned short* const elements = reinterpret_cast<unsigned short*>(ptx::dynamic_shared());
  const int taps = view.taps_h * view.taps_w, count = kRows * kUnit * taps;
  const int first_row = static_cast<int>(blockIdx.x) * kRows;
  const int first_channel = static_cast<int>(blockIdx.y) * kUnit;
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  // Loads elements in the order of a dense filter tensor (k, c, tap), so that neighbouring threads
  // load neighbouring elements. A thread issues kInFlight loads before it uses the first value.
  constexpr int kInFlight = 9;
  const int inner_bits = view.turned ? 6 : 3;
  static_assert(kRows == 1 << 6 && kUnit == 1 << 3);
  for (int first = thread; first < count; first += kInFlight * threads) {
    unsigned short values[kInFlight];
    int places[kInFlight];
#pragma unroll
    for (int n = 0; n < kInFlight; ++n) {
      const int i = first + n * threads;
      const int pair = divide(i, view.per_tap), tap = i - pair * taps;
      const int outer_index = pair >> inner_bits, inner_index = pair - (outer_index << inner_bits);
      const int row = view.turned ? inner_index : outer_index;
      const int channel = view.turned ? outer_index : inner_index;
      const int r = divide(tap, view.per_column), s = tap - r * view.taps_w;
      const int k = view.turned ? first_channel + channel : first_row + row;
      const int c = view.turned ? first_row + row : first_channel + channel;
      const bool valid =
          i < count && first_row + row < view.rows && first_channel + channel < view.channels;
      values[n] = valid ? w[k * view.strides[0] + c * view.strides[1] + r * view.strides[2] +
                            s * view.strides[3]]
                        : static_cast<unsigned short>(0);
      places[n] = ((view.turned ? taps - 1 - tap : tap) * kRows + row) * kUnit + channel;
    }
#pragma unroll
    for (int n = 0; n < kInFlight; ++n)
      if (first + n * threads < count) elements[places[n]] = values[n];
  }
  __syncthreads();
  // Stores the packed filters. In each iteration a thread stores the eight channels of one row and
  // tap.
  const int row_tile = first_row / view.tile_rows, row_in_tile = first_row % view.tile_rows;
  const int chunk = static_cast<int>(blockIdx.y) / view.chunk_units;
  const int unit = static_cast<int>(blockIdx.y) - chunk * view.chunk_units;
  const uint4* const units = reinterpret_cast<const uint4*>(elements);
  uint4* const out = reinterpret_cast<uint4*>(to);
  for (int i = thread; i < taps * kRows; i += threads) {
    const int tap = i / kRows, row = i - tap * kRows;
    const long long tile = (static_cast<long long>(row_tile) * view.chunks + chunk) * taps + tap;
    out[(tile * view.chunk_units + unit) * view.tile_rows + row_in_tile + row] = units[i];
  }
}

}  // namespace atc::dense
