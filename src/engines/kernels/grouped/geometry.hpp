// The arguments of the grouped kernels: the convolution, the sizes of tiles, and the places of the
// data in shared memory. A block is persistent: it computes a few groups of the convolution and
// iterates over the tiles of their outputs. Host and device code share this header, so it does not
// use the standard library.
#pragma once

#include "engines/kernels/implicit/geometry.hpp"

namespace atc::grouped {

using implicit::FilterView;
using implicit::Geometry;
using implicit::kMostPhases;

// A tensor that a block reads, and the layout in shared memory of the part of it that belongs to a
// tile. For each pixel of the part, shared memory has chunks (16 bytes) of the channels of the
// block's groups. All numbers except counts are bytes.
struct Source {
  implicit::View view;
  // The number of channels and of chunks (16 bytes) of one group.
  int channels = 0, chunks = 0;
  // The place in shared memory of the chunks (16 bytes of channels), and the distances between
  // them. With channels last there are two stages: two buffers that are used in turn, `turn_bytes`
  // apart. With channels first there is one stage, and turn_bytes is 0.
  int at = 0, pixel_pitch_bytes = 0, row_pitch_bytes = 0, turn_bytes = 0;
  // Used only for channels first. The part of the tensor that a tile reads is first copied to
  // shared memory in the order of device memory, channel by channel; these are the place and the
  // distances of this copy. Then it is transposed into chunks. The addresses in shared memory equal
  // the addresses in device memory modulo 16, so that 16 bytes can be copied at once.
  int raw_at = 0, raw_channel_bytes = 0, raw_row_bytes = 0;
  // 1 if the tensor has channels first and a tile reads all columns of the image. Then the rows
  // that the tile reads are, for each channel, one contiguous run of bytes. Otherwise 0.
  int whole_rows = 0;
  // 1 << load_shift threads together load a contiguous run of bytes. 1 << row_shift threads
  // together transpose one row of a chunk's pixels.
  int load_shift = 0, row_shift = 0;
};

struct StreamGeometry {
  // The convolution. A phase is the outputs whose coordinates have the same remainder modulo the
  // stride (backward-data; forward has one phase). A tile of a block is tile_h x tile_w outputs of
  // each phase.
  Geometry g;
  FilterView w;
  int images = 0;
  // The number of blocks that compute the same groups and share the tiles of these groups.
  int workers = 0;
  // first_row and first_column are the smallest `start` of the rows and of the columns of all
  // phases. halo_h and halo_w are the extents of the input that a tile reads. A phase is the
  // outputs whose coordinates have the same remainder modulo the stride.
  int first_row = 0, first_column = 0, halo_h = 0, halo_w = 0;
  // A phase is the outputs whose coordinates have the same remainder modulo the stride. A row of
  // the filter matrix (operand B) has the chunks (16 bytes) of all phases, one phase after the
  // other. Phase i has the chunks phase_begin[i] to phase_begin[i + 1] - 1.
  int phase_begin[kMostPhases * kMostPhases + 1] = {};
  Source source;
  // The layout of the outputs in shared memory before they are stored: their place, and the
  // distance in bytes to the next channel, row and pixel. The addresses in shared memory equal the
  // addresses in device memory modulo 16, so that 16 bytes can be stored at once.
  int staged_at = 0, staged_channel_bytes = 0, staged_row_bytes = 0, staged_pixel_bytes = 0;
  // 1 << store_shift threads together store a contiguous run of bytes.
  int store_shift = 0;
  // Channels first: 1 if a tile is a whole image. Then all channels of the tile are one contiguous
  // run. Otherwise 0.
  int whole_planes = 0;
};

// The arguments of backward-weight. `sum.splits` blocks compute the same groups. Each of them adds
// up the products of a part of the tiles (split-K) and writes the sums as partials.
struct GradientStream {
  implicit::GradientGeometry sum;
  Source x, y;
  // The number of rows and of columns of x that a tile reads.
  int halo_h = 0, halo_w = 0;
};

}  // namespace atc::grouped
