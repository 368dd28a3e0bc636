// A convolution of groups as the kernels with wgmma see it. Host and device code share this header,
// so it does not use the standard library.
//
// A tile's input lies on a raster of positions in rows of `row_positions` positions. On the raster,
// a tap has the same distance from each output. If the step is above 1, the inputs whose row and
// column have the same residues modulo the step have a raster of their own. An output has the
// position of its row and column; sums at positions between the last column and the next row are
// not stored. A product has 64 positions of a tile as rows, the output channels of a group as
// columns, and a depth of two chunks, which are `chunk_positions` positions apart.
#pragma once

#include "engines/kernels/implicit/geometry.hpp"

namespace atc::implicit {

constexpr int kWarpgroup = 128;
// The number of warpgroups that load, multiply and store.
constexpr int kMultipliers = kThreads / kWarpgroup;
constexpr int kRasterThreads = kThreads + 32;  // a warp brings filters
constexpr int kRows = 64;                      // positions of a product
constexpr int kMostStages = 8;
// Shared memory begins with two barriers of eight bytes for each stage of filters.
constexpr int kBarrierBytes = 2 * 8 * kMostStages;

struct RasterGeometry {
  // tap_chunks is the number of chunks of a tap (or of a pair of taps). It is even: if necessary, a
  // chunk of zeros is added. All tiles of a block belong to one group and one phase (the outputs
  // with the same residues modulo the stride of backward-data).
  Geometry g;
  int images = 0;
  int columns = 0;      // the number of columns of a product: the output channels of a group,
                        // rounded up
  int block_tiles = 0;  // the number of tiles of a block, which lie one after the other in shared
                        // memory
  int tile_parts = 0;   // parts of 64 positions in a tile
  // Numbers of positions: in a row, in the raster of a residue, in a tile, and from one chunk to
  // the next.
  int row_positions = 0, plane_positions = 0, tile_positions = 0, chunk_positions = 0;
  // Filters are loaded in stages of `stage_chunks` chunks, an even number.
  int stage_chunks = 0, stages = 0, stage_bytes = 0;
  // Places in shared memory, in bytes: filters, tiles, and a tile's outputs, which overwrite
  // filters and input.
  int filters_at = 0, tiles_at = 0, staged_tile_at = 0;
};

// The gradient of the filters. M is 64 input channels of a group, N its output channels, and K
// sixteen positions. Each tap has products of its own. At a position without an output there are
// zeros in its place.
struct RasterGradient {
  // A block multiplies one tile while it copies the next one.
  RasterGeometry s;
  int splits = 0;      // the number of parts into which the sum over tiles is cut (split-K)
  int row_parts = 0;   // parts of 64 channels in a tap
  int sums = 0;        // the number of sums of a group, in the parts of all its taps
  int sum_blocks = 0;  // blocks that share these sums
  int depth = 0;       // positions of a tile's outputs
  // y_positions: positions from one chunk of outputs to the next. Places in shared memory, in
  // bytes: the beginning of the outputs; a tile's input; a tile's outputs.
  int y_positions = 0, y_at = 0, x_bytes = 0, y_bytes = 0;
};

}  // namespace atc::implicit
