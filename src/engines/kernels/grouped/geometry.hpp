// A convolution of groups as the streaming kernels see it: blocks stay, and go over the tiles of
// their groups. Shared by host and device, hence without the standard library.
#pragma once

#include "engines/kernels/implicit/geometry.hpp"

namespace atc::grouped {

using implicit::FilterView;
using implicit::Geometry;
using implicit::kMostPhases;

struct StreamGeometry {
  // A tile is tile_h x tile_w outputs of each phase.
  Geometry g;
  FilterView w;
  int images = 0;
  int workers = 0;  // blocks that share the tiles of a block's groups
  // Of all phases: the least start of an axis, and the input of a tile.
  int first_row = 0, first_column = 0, halo_h = 0, halo_w = 0;
  // Threads that share a run of chunks, or a row of the halo: 1 << shift.
  int load_shift = 0, halo_shift = 0, store_shift = 0;
  // A filter's row has the chunks of all phases, one after the other.
  int phase_begin[kMostPhases * kMostPhases + 1] = {};
  // Input of channels first: bytes as they are in memory, from which the halo is made.
  int raw_at = 0, raw_channel = 0, raw_row = 0;
  int whole_rows = 0;  // a halo has all columns: its rows are one run in memory
  int halo_bytes = 0;  // channels last: from the halo to that of the next tile
  // The outputs in shared memory: bytes from an element to its neighbour. Modulo 16 as in memory.
  int staged_at = 0, staged_channel = 0, staged_row = 0, staged_pixel = 0;
  int whole_planes = 0;  // channels first, a tile is all of an image: its channels are one run
};

}  // namespace atc::grouped
