// The arguments of the wgmma kernels of `implicit`, for groups of many channels. Host and device
// code share this header, so it does not use the standard library.
//
// The input of a tile lies in shared memory as a raster: rows of `row_positions` positions. On a
// raster, the distance from an output to the input of a given tap is the same for all outputs, so a
// tap only adds an offset to the address of operand A. If the stride (g.step) is s > 1, there are s
// * s rasters: one for each pair of remainders of row and column modulo s. Sums are also computed
// at the positions between the last column of a tile and the next row; these sums are not stored.
//
// A wgmma multiplies 64 positions of a tile (M) by the output channels of a group (N). K is two
// chunks of 16 bytes. In shared memory two chunks of the same position are `chunk_positions`
// positions apart.
#pragma once

#include "engines/kernels/implicit/geometry.hpp"

namespace atc::implicit {

constexpr int kWarpgroup = 128;
// The number of consumer warpgroups of a block: they load the input, multiply and store.
constexpr int kMultipliers = kThreads / kWarpgroup;
// The threads of a block: those of the consumers, and one warp that loads filters.
constexpr int kRasterThreads = kThreads + 32;
// M of a wgmma: the number of positions of an m64 tile.
constexpr int kRows = 64;
constexpr int kMostStages = 8;
// Shared memory begins with the barriers: for each stage of filters a full and an empty barrier of
// 8 bytes.
constexpr int kBarrierBytes = 2 * 8 * kMostStages;

struct RasterGeometry {
  // The geometry of the convolution. tap_chunks (16-byte chunks of a tap) is rounded up to an even
  // number; the added chunk is zeros. All tiles of a block belong to one group and one phase. A
  // phase is the outputs whose coordinates have the same remainder modulo the stride of
  // backward-data; forward has one phase.
  Geometry g;
  int images = 0;
  int columns = 0;  // N: the number of output channels of a group, rounded up
  // The number of tiles of a block. They follow one another in shared memory.
  int block_tiles = 0;
  // The number of m64 tiles (64 positions each) of a tile.
  int tile_parts = 0;
  // Numbers of positions: of a row of a raster, of one whole raster (plane), and of all rasters of
  // a tile. chunk_positions is the distance in positions from a chunk (16 bytes of channels) to the
  // next chunk of the same position.
  int row_positions = 0, plane_positions = 0, tile_positions = 0, chunk_positions = 0;
  // Filters are loaded in stages of `stage_chunks` chunks (16 bytes each) of K. This number is
  // even, because a wgmma multiplies two chunks.
  int stage_chunks = 0, stages = 0, stage_bytes = 0;
  // filters_at and tiles_at are the offsets in shared memory, in bytes, of the filters and of the
  // input of the tiles. In the epilogue, the outputs overwrite both, from filters_at on.
  // staged_tile_at is the number of bytes of the outputs of one tile.
  int filters_at = 0, tiles_at = 0, staged_tile_at = 0;
};

// The arguments of backward-weight. For each tap there is a matrix product of its own: M is 64
// input channels of a group, N is the output channels of the group, and K is 16 positions.
// Positions without an output have zeros in place of dy.
struct RasterGradient {
  // In backward-weight block_tiles is 1: a block multiplies one tile while it copies the next one.
  RasterGeometry s;
  // The number of parts into which the sum over tiles is cut (split-K).
  int splits = 0;
  // The number of m64 tiles (64 rows) of the input channels of one tap.
  int row_parts = 0;
  // The number of m64 tiles (64 rows) of a group, for all taps.
  int sums = 0;
  // The number of blocks that share the m64 tiles of a group.
  int sum_blocks = 0;
  // K for one tile: the number of positions of its outputs, rounded up.
  int depth = 0;
  // y_positions: the distance in positions from a chunk (16 bytes of channels) of dy to the next
  // chunk of the same position. y_at: the offset of dy in shared memory, in bytes. x_bytes and
  // y_bytes: the number of bytes of a stage of x and of dy.
  int y_positions = 0, y_at = 0, x_bytes = 0, y_bytes = 0;
};

}  // namespace atc::implicit
