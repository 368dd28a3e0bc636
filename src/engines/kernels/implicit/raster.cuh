// Functions that load tiles of images into shared memory as rasters of positions (raster.hpp
// explains rasters), for the wgmma kernels of this folder.
#pragma once

#include "engines/kernels/implicit/raster.hpp"
#include "engines/kernels/implicit/tile.cuh"

namespace atc::implicit {

// The place of a tile: `height` x `width` outputs of one phase of an image. A phase is the outputs
// whose coordinates have the same remainder modulo the stride. Phases may have different numbers of
// tiles; `height` is 0 if this phase has no such tile.
struct Tile {
  long long image;
  int top, left, height, width;
};

__device__ inline Tile tile_at(const RasterGeometry& s, const Axis& rows, const Axis& columns,
                               int item) {
  const Geometry& g = s.g;
  const int across = item / g.tiles_w, image = across / g.tiles_h;
  Tile tile;
  tile.image = image;
  tile.top = (across - image * g.tiles_h) * g.tile_h;
  tile.left = (item - across * g.tiles_w) * g.tile_w;
  tile.height = image < s.images ? min(g.tile_h, rows.outputs - tile.top) : 0;
  tile.width = min(g.tile_w, columns.outputs - tile.left);
  if (tile.width <= 0) tile.height = 0;
  return tile;
}

__device__ inline Part input_of(const RasterGeometry& s, const Axis& rows, const Axis& columns,
                                const Tile& tile) {
  const Geometry& g = s.g;
  Part part;
  part.top = tile.top * g.step + rows.start;
  part.left = tile.left * g.step + columns.start;
  part.height = (tile.height - 1) * g.step + (rows.taps - 1) * rows.spacing + 1;
  part.width = (tile.width - 1) * g.step + (columns.taps - 1) * columns.spacing + 1;
  part.groups = 1;
  part.group_channels = g.group_in;
  part.group_chunks = g.tap_chunks;
  part.row_pitch_bytes = s.row_positions * kChunk;
  part.pixel_pitch_bytes = kChunk;
  part.chunk_pitch = s.chunk_positions * kChunk;
  part.step = g.step;
  part.plane_bytes = s.plane_positions * kChunk;
  return part;
}

// Returns the distance on the raster, in positions, from an output to the input that a tap reads.
// `row` and `column` are the distances of this tap from the first tap, in inputs.
__device__ inline int tap_positions(const RasterGeometry& s, int row, int column) {
  const int step = s.g.step, h = row / step, w = column / step;
  return ((row - h * step) * step + column - w * step) * s.plane_positions + h * s.row_positions +
         w;
}

}  // namespace atc::implicit
