// Tiles (parts of an image), and the loads of their input, for all kernels of first layers.
//
// Contract of the loads
//   x       a dense tensor. If g.x.copy_bytes is 4, 8 or 16, rows are copied in pieces of that many
//           bytes, and x is aligned to as many bytes. If g.x.copy_bytes is 0, x is aligned to an
//           element
//   shared  rows of the input in the order in which they are in memory, in.row_pitch_bytes apart.
//           Channels first: a plane of rows for each channel. Channels last: one plane. Pixels
//           outside of the image are zeros
#pragma once

#include "device/cuda/kernels/float.cuh"
#include "engines/kernels/first/geometry.hpp"
#include "engines/kernels/math.cuh"
#include "engines/kernels/ptx.cuh"

namespace atc::first {

using cuda::from_float;
using cuda::to_float;
using kernels::as_operand;
using kernels::Element;
using kernels::kOperandType;
using kernels::Math;

template <Math kMath>
constexpr int kBytes = static_cast<int>(sizeof(Element<kMath>));

// The place of a pixel within a tile.
struct Place {
  int row, column;
};
__device__ __forceinline__ Place place_of(const Geometry& g, int number) {
  const int row = g.tile_w == 1
                      ? number
                      : static_cast<int>(__umulhi(static_cast<unsigned>(number), g.tile_w_inverse));
  return {row, number - row * g.tile_w};
}

// A tile of an image. The pixels of the tile are numbered row by row, with g.tile_w pixels in each
// row. Number 0 is the pixel (row, column) of the image. Pixel i of the tile has the number `offset
// + i`.
struct Tile {
  long long image = 0;
  int row = 0, column = 0, offset = 0;
  // `count` is the number of pixels of the tile. `rows` is the number of rows of the image in which
  // these pixels lie. `width` is the number of columns of each of these rows.
  int count = 0, rows = 0, width = 0;
};

__device__ inline Tile tile_of(const Geometry& g, int index) {
  Tile tile;
  const int image = index / g.tiles, in_image = index - image * g.tiles;
  tile.image = image;
  if (g.flat) {
    const int first = in_image * g.pixels;
    tile.row = first / g.width;
    tile.offset = first - tile.row * g.width;
    tile.count = min(g.pixels, g.height * g.width - first);
    tile.rows = (tile.offset + tile.count - 1) / g.width + 1;
    tile.width = g.width;
  } else {
    const int down = in_image / g.tiles_w;
    tile.row = down * g.tile_h;
    tile.column = (in_image - down * g.tiles_w) * g.tile_w;
    tile.rows = min(g.tile_h, g.height - tile.row);
    tile.width = min(g.tile_w, g.width - tile.column);
    tile.count = tile.rows * g.tile_w;
  }
  return tile;
}

// Starts to copy a row of the image, from element `left` on, to the address `to`. Elements outside
// of the image become zeros. One instruction copies kCopy bytes, to which both of its addresses are
// aligned. `any` is any valid address: a copy that only writes zeros needs one, too.
template <Math kMath, int kCopy>
__device__ void copy_row(const Input& in, const Element<kMath>* from, const Element<kMath>* any,
                         int left, bool valid_row, unsigned char* to) {
  constexpr int kWidth = kCopy / kBytes<kMath>;
  for (int i = static_cast<int>(threadIdx.x) % 32 * kWidth; i < in.width; i += 32 * kWidth) {
    const bool valid = valid_row && left + i >= 0 && left + i < in.row;
    const Element<kMath>* const source = valid ? from + left + i : any;
    const unsigned address = ptx::shared_address(to) + static_cast<unsigned>(i * kBytes<kMath>);
    if constexpr (kCopy == 16)
      ptx::cp_async_cg_16(address, source, valid);
    else
      ptx::cp_async<kCopy>(address, source, valid);
  }
}

// Starts to copy the input of a tile into shared memory. Elements outside of the image become
// zeros. All threads of the block must call this function.
template <Math kMath>
__device__ void load_input(const Geometry& g, const Tile& tile, const void* x, unsigned char* to) {
  const Input& in = g.x;
  const auto* const image = static_cast<const Element<kMath>*>(x) + tile.image * in.image;
  const int top = tile.row * in.step_h - in.pad_h, left = tile.column * in.step - in.lead;
  const int rows = (tile.rows - 1) * in.step_h + (g.w.height - 1) * g.w.dilation_h + 1;
  for (int plane = 0; plane < in.planes; ++plane) {
    for (int row = static_cast<int>(threadIdx.x) / 32; row < rows; row += kWarps) {
      const int h = top + row;
      const bool valid = h >= 0 && h < in.height;
      const auto* const from = image + (valid ? plane * in.plane + h * in.row : 0);
      unsigned char* const place = to + plane * in.plane_pitch_bytes + row * in.row_pitch_bytes;
      if (in.copy_bytes == 16) {
        copy_row<kMath, 16>(in, from, image, left, valid, place);
      } else if (in.copy_bytes == 8) {
        copy_row<kMath, 8>(in, from, image, left, valid, place);
      } else if (in.copy_bytes == 4) {
        copy_row<kMath, 4>(in, from, image, left, valid, place);
      } else {
        for (int k = static_cast<int>(threadIdx.x) % 32; k < in.width; k += 32) {
          Element<kMath> value;
          from_float(0.0f, value);
          if (valid && left + k >= 0 && left + k < in.row) value = from[left + k];
          reinterpret_cast<Element<kMath>*>(place)[k] = value;
        }
      }
    }
  }
}

// For TF32, rounds the elements in shared memory to TF32, and then waits for all threads of the
// block. Otherwise does nothing. `bytes` is the number of bytes of the elements, a multiple of 16.
template <Math kMath>
__device__ void make_operands(unsigned char* elements, int bytes) {
  if constexpr (kMath == Math::tf32) {
    for (int i = static_cast<int>(threadIdx.x) * 16; i < bytes; i += kThreads * 16) {
      auto* const place = reinterpret_cast<float4*>(elements + i);
      const float4 raw = *place;
      *place = make_float4(as_operand<kMath>(raw.x), as_operand<kMath>(raw.y),
                           as_operand<kMath>(raw.z), as_operand<kMath>(raw.w));
    }
    __syncthreads();
  }
}

// Returns an operand as a 32-bit word: one element of 32 bits (rounded, if TF32), or two
// neighbouring elements of 16 bits.
template <Math kMath>
__device__ __forceinline__ unsigned word_of(const Element<kMath>* values) {
  if constexpr (kBytes<kMath> == 4) {
    return __float_as_uint(as_operand<kMath>(values[0]));
  } else {
    const auto* const halves = reinterpret_cast<const unsigned short*>(values);
    return halves[0] | static_cast<unsigned>(halves[1]) << 16;
  }
}

// Returns where the window of a pixel begins in the tile's input, as an offset in bytes. The window
// is the inputs that the pixel reads.
__device__ inline int window_of(const Geometry& g, const Tile& tile, int pixel) {
  const auto [row, column] = place_of(g, tile.offset + pixel);
  return row * g.x.step_h * g.x.row_pitch_bytes +
         (column * g.x.step + g.x.lead - g.x.pad) * g.slots.element_bytes;
}

}  // namespace atc::first
