// The arguments of the grouped kernels: the convolution, the tiles, and the places in shared
// memory. A block is persistent: it computes certain groups and iterates over their tiles. Host and
// device code share this header, so it does not use the standard library.
#pragma once

#include "engines/kernels/implicit/geometry.hpp"

namespace atc::grouped {

using implicit::FilterView;
using implicit::Geometry;
using implicit::kMostPhases;

// A tensor that a block reads, and the place in shared memory of the part that belongs to a tile.
// For each pixel of the part, shared memory has chunks (16 bytes) of the channels of the block's
// groups. All numbers except counts are bytes.
struct Source {
  implicit::View view;
  int channels = 0, chunks = 0;  // the numbers of channels and of chunks of one group
  // The place of the chunks of the pixels. With channels last there are two stages, which are
  // `turn_bytes` apart and are used in turn. With channels first there is one stage and turn_bytes
  // is 0.
  int at = 0, pixel_pitch_bytes = 0, row_pitch_bytes = 0, turn_bytes = 0;
  // Channels first: the place of the part as it is copied from memory, channel by channel. The
  // chunks are made from this copy by a transposition. The addresses in shared memory equal the
  // addresses in device memory modulo 16, so that whole chunks can be copied.
  int raw_at = 0, raw_channel_bytes = 0, raw_row_bytes = 0;
  // Channels first: 1 if a part has all columns of the image, otherwise 0. If it is 1, the rows of
  // the part in one channel are one contiguous run of bytes. Channels last: 0.
  int whole_rows = 0;
  // 1 << load_shift threads together load a contiguous run of bytes. 1 << row_shift threads
  // together transpose a row of chunks.
  int load_shift = 0, row_shift = 0;
};

struct StreamGeometry {
  // The convolution. A tile of a block is tile_h x tile_w outputs of each phase.
  Geometry g;
  FilterView w;
  int images = 0;
  int workers = 0;  // the number of blocks that compute the same groups and share their tiles
  // The smallest `start` of a phase's rows and columns, and the extents of the input that all
  // phases of a tile together read.
  int first_row = 0, first_column = 0, halo_h = 0, halo_w = 0;
  // A row of the filter matrix (operand B) has the chunks of all phases, one phase after the other.
  // Phase i has the chunks phase_begin[i] to phase_begin[i + 1] - 1.
  int phase_begin[kMostPhases * kMostPhases + 1] = {};
  Source source;
  // The outputs in shared memory before they are stored: the distance in bytes to the next channel,
  // row and pixel. The addresses in shared memory equal the addresses in device memory modulo 16,
  // so that whole chunks can be stored.
  int staged_at = 0, staged_channel_bytes = 0, staged_row_bytes = 0, staged_pixel_bytes = 0;
  int store_shift = 0;  // 1 << store_shift threads together store a contiguous run of bytes
  // Channels first: true if a tile is a whole image. Then all channels of the tile are one run.
  int whole_planes = 0;
};

// Backward-weight. `sum.splits` blocks compute the same groups: each adds up the products of a part
// of the tiles (split-K) and writes partials.
struct GradientStream {
  implicit::GradientGeometry sum;
  Source x, y;
  int halo_h = 0, halo_w = 0;  // the extents of the part of x that a whole tile reads
};

}  // namespace atc::grouped
