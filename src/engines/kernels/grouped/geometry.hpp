// A grouped convolution as the streaming kernels see it: a block is persistent and iterates over
// the tiles of its groups. Host and device code share this header, so it does not use the standard
// library.
#pragma once

#include "engines/kernels/implicit/geometry.hpp"

namespace atc::grouped {

using implicit::FilterView;
using implicit::Geometry;
using implicit::kMostPhases;

// The part of the images that a block reads for its groups, and where it is placed in shared
// memory. All numbers except counts are bytes.
struct Source {
  implicit::View view;
  int channels = 0, chunks = 0;  // of a group
  // The place of the chunks of pixels. With channels last there are two such places, which tiles
  // use in turn.
  int at = 0, pixel_pitch_bytes = 0, row_pitch_bytes = 0, turn_bytes = 0;
  // Channels first: the place of a part in the order of memory; its chunks are made from there. Its
  // addresses equal those in memory modulo 16.
  int raw_at = 0, raw_channel_bytes = 0, raw_row_bytes = 0;
  int whole_rows = 0;  // a part has all columns, so its rows are one run in memory
  // 1 << shift threads share a run in memory (load), or a row of chunks (row).
  int load_shift = 0, row_shift = 0;
};

struct StreamGeometry {
  // A tile is tile_h x tile_w outputs of each phase.
  Geometry g;
  FilterView w;
  int images = 0;
  int workers = 0;  // blocks that share the tiles of the same groups
  // Over all phases: the smallest start of each axis, and the extents of a tile's input.
  int first_row = 0, first_column = 0, halo_h = 0, halo_w = 0;
  // A row of the filter matrix has the chunks of all phases, one phase after the other.
  int phase_begin[kMostPhases * kMostPhases + 1] = {};
  Source source;
  // The outputs in shared memory: bytes from an element to its neighbour. Their addresses equal
  // those in memory modulo 16.
  int staged_at = 0, staged_channel_bytes = 0, staged_row_bytes = 0, staged_pixel_bytes = 0;
  int store_shift = 0;  // 1 << store_shift threads share a run
  int whole_planes =
      0;  // channels first, and a tile is a whole image: all its channels are one run
};

// The gradient of the filters. For the same groups there are `sum.splits` blocks, and each adds up
// a part.
struct GradientStream {
  implicit::GradientGeometry sum;
  Source x, y;
  int halo_h = 0, halo_w = 0;  // extents of x for a whole tile
};

}  // namespace atc::grouped
