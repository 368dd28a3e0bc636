// What the kernels that move tensors are told. Shared by host and device, hence without the
// standard library.
#pragma once

namespace atc::rewrite {

constexpr unsigned kMoveThreads = 256;  // of a block of either kernel

// Division of numbers below 2^31 by one that stays the same.
struct Divider {
  unsigned divisor = 1, multiplier = 1, shift = 0;
};

// Strides in units (below). Otherwise as MoveDim.
struct UnitsDim {
  Divider extent, step;
  unsigned inside = 1;
  long long source = 0, target = 0;
};

constexpr int kMoveDims = 8;

// Unit by unit, a unit being 2, 4, 8 or 16 bytes that are neighbours in source and target.
struct UnitsMove {
  UnitsDim dims[kMoveDims];  // slowest first
  int rank = 0;
  int zero = 0;   // all of the target
  int plain = 0;  // no dimension has steps or holes, and offsets fit 32 bits
  unsigned units = 0;
};
constexpr unsigned units_of_thread(unsigned bytes) { return bytes >= 8 ? 4 : 8; }

// Elements of 2 or 4 bytes, read one by one and written 8 or 16 bytes at a time along the fastest
// dimension of the target.
struct WideMove {
  UnitsDim
      dims[kMoveDims];  // slowest first; the last one has steps or holes, or gaps in the source
  Divider pieces;       // of the last dimension
  int rank = 0;
  unsigned all_pieces = 0;
};
constexpr unsigned pieces_of_thread(unsigned length) { return 16 / length; }

// Dimensions that follow each other in the source or in the target, as one.
constexpr int kRunDims = 4;
struct Run {
  UnitsDim dims[kRunDims];  // slowest first
  int rank = 0;
  unsigned extent = 1;  // of all
};

// How a tile is written.
enum class Writing : int {
  even,       // rows of the target, and their parts in a tile, begin at multiples of 16 bytes
  half_even,  // of 8 bytes, which are written at a time
  shifted,    // anywhere: parts begin up to 15 bytes earlier, at multiples of 16 bytes
  flat,       // the rows of a tile are whole, and one follows the other
};

// Through shared memory, by tiles. What is read are segments of the source, at `rows.extent`
// places, of `a.extent` places each that are neighbours there and `inner.extent` units in each of
// those. What is written are rows of the target, one for each place of a, along which the units of
// all places of `rows` follow each other. Units are of 2, 4 or 8 bytes. Segments may begin
// anywhere: they are read by whole words of 16 bytes, into slots of `pitch` bytes. Short ones that
// follow each other are read as one.
constexpr unsigned kTileBytes = 20 * 1024;  // of slots, with `width` more for each
constexpr unsigned kTileRows = 288;         // of a tile, at most, where each has its segment
constexpr unsigned kTileRowUnits = 2176;    // of a row of the target within a tile, at most
struct TileMove {
  UnitsDim outer[kMoveDims - 1];  // slowest first
  int rank = 0;                   // of outer
  int width = 2;                  // bytes of a unit
  Writing writing = Writing::even;
  int full = 0;  // no place of the target is without one in the source
  unsigned blocks = 0;
  Run rows, a;
  UnitsDim inner;             // its source stride counts within a place of a
  unsigned a_inside = 1;      // of a: beyond it zeros are written
  unsigned a_bytes = 0;       // from place to place, in the source and in slots
  unsigned inner_bytes = 0;   // from a place's first byte to its last unit's end
  unsigned a_of_tile = 1;     // places of a
  unsigned rows_of_tile = 1;  // without those before
  unsigned rows_before = 0;   // read by `shifted` for what begins earlier
  unsigned pitch = 0;         // a multiple of 16
  unsigned row_bytes = 0;     // from segment to segment where they are read as one, else 0
  int spread = 0;             // those: 16 bytes more after each 128, none of them across
  Divider a_tiles, row_tiles;
  Divider slot_words;  // 16 bytes each
  Divider inner_units;
  Divider row_pieces;  // 16 or 8 bytes each, of a row within a tile; units for `flat`
  // Threads beside each other write so many pieces of a row, 8 where that is possible, and then the
  // same of the next rows: their banks differ.
  Divider piece_group;
  Divider places, lanes;       // of a tile: places of a; rows that are written at a time
  long long source_bytes = 0;  // that may be read, from the first unit on
};

struct TileMovePair {
  void* targets[2] = {};
  const void* sources[2] = {};
  TileMove moves[2];
};

}  // namespace atc::rewrite
