// A grouped convolution as the streaming kernels see it: blocks are persistent and iterate over the
// tiles of their groups. Shared by host and device, hence without the standard library.
#pragma once

#include "engines/kernels/implicit/geometry.hpp"

namespace atc::grouped {

using implicit::FilterView;
using implicit::Geometry;
using implicit::kMostPhases;

// The images that a block reads for its groups, and the places of their parts in shared memory. In
// bytes, except counts.
struct Source {
  implicit::View view;
  int channels = 0, chunks = 0;  // of a group
  // Chunks of pixels. With channels last there are two such places, which tiles use in turn.
  int at = 0, pixel_pitch = 0, row_pitch = 0, turn_bytes = 0;
  // Channels first: a part in the order of memory, from which its chunks are made. Its addresses
  // equal those in memory modulo 16.
  int raw_at = 0, raw_channel = 0, raw_row = 0;
  int whole_rows = 0;  // a part has all columns: its rows are one run in memory
  // Threads that share a run in memory, or a row of chunks: 1 << shift.
  int load_shift = 0, row_shift = 0;
};

struct StreamGeometry {
  // A tile is tile_h x tile_w outputs of each phase.
  Geometry g;
  FilterView w;
  int images = 0;
  int workers = 0;  // blocks that share the tiles of a block's groups
  // Over all phases: the least start of an axis, and the extents of a tile's input.
  int first_row = 0, first_column = 0, halo_h = 0, halo_w = 0;
  // A filter's row has the chunks of all phases, one after the other.
  int phase_begin[kMostPhases * kMostPhases + 1] = {};
  Source source;
  // The outputs in shared memory: bytes from an element to its neighbour. Addresses equal those in
  // memory modulo 16.
  int staged_at = 0, staged_channel = 0, staged_row = 0, staged_pixel = 0;
  int store_shift = 0;   // 1 << store_shift threads share a run
  int whole_planes = 0;  // channels first, a tile is all of an image: its channels are one run
};

// The gradient of the filters: each of `sum.splits` blocks for the same groups sums a part.
struct GradientStream {
  implicit::GradientGeometry sum;
  Source x, y;
  int halo_h = 0, halo_w = 0;  // of x, for a whole tile
};

}  // namespace atc::grouped
