// A convolution of groups as the kernels with products of warpgroups see it. Shared by host and
// device, hence without the standard library.
//
// A tile's input lies on a raster of positions: rows of `pitch` positions, so that a tap is the
// same number of positions on from each output. With a step above 1, the inputs of each residue of
// rows and columns modulo the step have a raster of their own. An output is at the raster's
// position of its row and column; sums of positions between the last column and the next row are
// not stored. A product has 64 positions of a tile as rows, the output channels of a group as
// columns, and a depth of two chunks, which lie `chunk_positions` positions apart.
#pragma once

#include "engines/kernels/implicit/geometry.hpp"

namespace atc::implicit {

constexpr int kWarpgroup = 128;
constexpr int kMultipliers = kThreads / kWarpgroup;  // warpgroups that load, multiply and store
constexpr int kRasterThreads = kThreads + 32;        // a warp brings filters
constexpr int kRows = 64;                            // positions of a product
constexpr int kMostStages = 8;
// Shared memory begins with two barriers of eight bytes for each stage of filters.
constexpr int kBarrierBytes = 2 * 8 * kMostStages;

struct RasterGeometry {
  // tap_chunks is even; the last chunk may be zeros. A block has tiles of one group and one phase.
  Geometry g;
  int images = 0;
  int columns = 0;      // of a product: the group's output channels, filled up
  int block_tiles = 0;  // of a block, one after the other in shared memory
  int tile_parts = 0;   // parts of 64 positions of a tile
  // Numbers of positions: of a row, of the raster of a residue, of a tile, and from a chunk to the
  // next.
  int pitch = 0, plane = 0, tile_positions = 0, chunk_positions = 0;
  // Filters come in stages of so many chunks, an even number.
  int stage_chunks = 0, stages = 0, stage_bytes = 0;
  // Places in shared memory, bytes: filters, tiles, and a tile's outputs, which overwrite filters
  // and input.
  int filters_at = 0, tiles_at = 0, staged_tile = 0;
};

// The gradient of the filters. M is 64 input channels of a group, N its output channels, and K
// sixteen positions. Each tap has products of its own. Positions without an output have zeros in
// its place.
struct RasterGradient {
  // A block multiplies one tile while it copies another.
  RasterGeometry s;
  int splits = 0;      // parts of the sum over tiles
  int row_parts = 0;   // parts of 64 channels of a tap
  int sums = 0;        // of a group: the parts of all taps
  int sum_blocks = 0;  // blocks that share these sums
  int depth = 0;       // positions of a tile's outputs
  // Positions from a chunk of outputs to the next. Places in shared memory, bytes: the beginning of
  // the outputs; a tile's input; a tile's outputs.
  int y_positions = 0, y_at = 0, x_bytes = 0, y_bytes = 0;
};

}  // namespace atc::implicit
