// The parameters of the kernels that move tensors. Host and device code share this header, so it
// does not use the standard library.
#pragma once

namespace atc::rewrite {

constexpr unsigned kMoveThreads = 256;  // of a block of any of these kernels

// Division of numbers below 2^31 by a fixed divisor.
struct Divider {
  unsigned divisor = 1, multiplier = 1, shift = 0;
};

// A dimension as in MoveDim, but with strides in units (see UnitsMove).
struct UnitsDim {
  Divider extent, step;
  unsigned inside = 1;
  long long source = 0, target = 0;
};

constexpr int kMoveDims = 8;

// A move unit by unit. A unit is 2, 4, 8 or 16 bytes that are neighbours in source and target.
struct UnitsMove {
  UnitsDim dims[kMoveDims];  // slowest first
  int rank = 0;
  int zero = 0;   // the whole target is set to zero
  int plain = 0;  // no dimension has steps or holes, and offsets fit into 32 bits
  unsigned units = 0;
};
constexpr unsigned units_of_thread(unsigned bytes) { return bytes >= 8 ? 4 : 8; }

// A move of elements of 2 or 4 bytes. They are read one by one, and written 8 or 16 bytes at a time
// along the fastest dimension of the target.
struct WideMove {
  UnitsDim
      dims[kMoveDims];  // slowest first; the last one has steps or holes, or gaps in the source
  Divider pieces;       // of the last dimension
  int rank = 0;
  unsigned all_pieces = 0;
};
constexpr unsigned pieces_of_thread(unsigned length) { return 16 / length; }

// Several dimensions treated as one. Each continues the next faster one, either in the source or in
// the target.
constexpr int kRunDims = 4;
struct Run {
  UnitsDim dims[kRunDims];  // slowest first
  int rank = 0;
  unsigned extent = 1;  // places, of all dims
};

// How a tile is written.
enum class Writing : int {
  even,       // rows of the target, and their parts in a tile, begin at multiples of 16 bytes
  half_even,  // the same with 8 bytes; 8 bytes are written at a time
  shifted,  // rows begin anywhere; parts are moved back by up to 15 bytes, to multiples of 16 bytes
  flat,     // the rows of a tile are whole, and each begins where the one before ends
};

// A move through shared memory, in tiles. The source is read in segments, one for each of the
// `rows.extent` places of `rows`. A segment has `a.extent` places, which are neighbours in the
// source, of `inner.extent` units each. The target is written in rows, one for each place of `a`. A
// row has the units of all places of `rows`, one after the other. A unit has 2, 4 or 8 bytes.
// Segments may begin anywhere: they are read in whole words of 16 bytes, into slots of `pitch`
// bytes in shared memory. Short segments that follow each other are read as one.
constexpr unsigned kTileBytes = 20 * 1024;  // of all slots; each slot has `width` bytes more
constexpr unsigned kTileRows = 288;         // most rows of a tile whose segments are looked up
constexpr unsigned kTileRowUnits = 2176;    // most units of a row of the target within a tile
struct TileMove {
  UnitsDim outer[kMoveDims - 1];  // slowest first
  int rank = 0;                   // of outer
  int width = 2;                  // bytes of a unit
  Writing writing = Writing::even;
  int full = 0;  // each place of the target has one in the source
  unsigned blocks = 0;
  Run rows, a;
  UnitsDim inner;             // its source stride is counted within a place of a
  unsigned a_inside = 1;      // places of a that the source has; zeros are written beyond
  unsigned a_bytes = 0;       // from place to place of a, in the source and in slots
  unsigned inner_bytes = 0;   // from a place's first byte to the end of its last unit
  unsigned a_of_tile = 1;     // places of a
  unsigned rows_of_tile = 1;  // without rows_before
  unsigned rows_before = 0;   // rows that `shifted` also reads, for parts that are moved back
  unsigned pitch = 0;         // a multiple of 16
  unsigned row_bytes = 0;     // from segment to segment if they are read as one, else 0
  int spread = 0;  // if set, each 128 bytes are followed by 16 bytes of padding, and no segment
                   // lies across it
  Divider a_tiles, row_tiles;
  Divider slot_words;  // 16 bytes each
  Divider inner_units;
  Divider row_pieces;  // pieces of a row within a tile: 16 or 8 bytes each; units for `flat`
  // `piece_group` neighbouring threads write pieces of one row (8 threads if possible), and the
  // next threads write the same pieces of the next row. So they all read different banks.
  Divider piece_group;
  Divider places, lanes;       // of a tile: places of a; rows that are written at the same time
  long long source_bytes = 0;  // bytes that may be read from the first unit on
};

struct TileMovePair {
  void* targets[2] = {};
  const void* sources[2] = {};
  TileMove moves[2];
};

}  // namespace atc::rewrite
