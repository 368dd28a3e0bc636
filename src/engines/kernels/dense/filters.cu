// Filters on their way into the tiles that stages take up whole: [row tile][chunk][tap][unit][row][8
// channels], zeros beyond the matrix's rows and channels.
#include <cstdint>

#include "engines/kernels/dense/geometry.hpp"
#include "engines/kernels/ptx.cuh"

namespace atc::dense {

// atc_dense_pack(view, w, to): a block for kRows rows (blockIdx.x) and a unit of channels (blockIdx.y),
// with all its elements in shared memory.
extern "C" __global__ void atc_dense_pack(const __grid_constant__ FilterView view,
                                      const unsigned short* w, unsigned char* to) {
  unsigned short* const elements = reinterpret_cast<unsigned short*>(ptx::dynamic_shared());
  const int taps = view.taps_h * view.taps_w, count = kRows * kUnit * taps;
  const int first_row = static_cast<int>(blockIdx.x) * kRows;
  const int first_channel = static_cast<int>(blockIdx.y) * kUnit;
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  // In the order of dense memory: k, c, tap.
  const int inner = view.turned ? kRows : kUnit;
  for (int i = thread; i < count; i += threads) {
    const int pair = i / taps, tap = i - pair * taps;
    const int outer_index = pair / inner, inner_index = pair - outer_index * inner;
    const int row = view.turned ? inner_index : outer_index;
    const int channel = view.turned ? outer_index : inner_index;
    const int r = tap / view.taps_w, s = tap - r * view.taps_w;
    unsigned short value = 0;
    if (first_row + row < view.rows && first_channel + channel < view.channels) {
      const int k = view.turned ? first_channel + channel : first_row + row;
      const int c = view.turned ? first_row + row : first_channel + channel;
      value = w[k * view.strides[0] + c * view.strides[1] + r * view.strides[2] +
                s * view.strides[3]];
    }
    const int place = view.turned ? taps - 1 - tap : tap;
    elements[(place * kRows + row) * kUnit + channel] = value;
  }
  __syncthreads();
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
