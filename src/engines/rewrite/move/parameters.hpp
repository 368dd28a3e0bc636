// The parameters of the kernels that move tensors. Host and device code share this header, so it
// does not use the standard library.
#pragma once

namespace atc::rewrite {

constexpr unsigned kMoveThreads = 256;  // the number of threads in a block of each of these kernels

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
  int zero = 0;   // set if the whole target is set to zero
  int plain = 0;  // set if no dimension has steps or holes, and offsets fit into 32 bits
  unsigned units = 0;
};
constexpr unsigned units_of_thread(unsigned bytes) { return bytes >= 8 ? 4 : 8; }

// A move of elements of 2 or 4 bytes. They are read one by one, and written 8 or 16 bytes at a time
// along the fastest dimension of the target.
struct WideMove {
  UnitsDim dims[kMoveDims];  // the dimensions, the slowest first; the last one has steps or holes,
                             // or gaps in the source
  Divider pieces;            // of the last dimension
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
  half_even,  // rows of the target, and their parts in a tile, begin at multiples of 8 bytes; 8
              // bytes are written at a time
  shifted,  // rows begin anywhere; their parts are moved back by up to 15 bytes, to multiples of 16
            // bytes
  flat,     // the rows of a tile are whole, and each row begins where the row before it ends
};

// A move through shared memory, in tiles. The source is read in segments, one for each of the
// `rows.extent` places of `rows`. A segment has `a.extent` places, which are neighbours in the
// source, of `inner.extent` units each. The target is written in rows, one for each place of `a`. A
// row has the units of all places of `rows`, one after the other. A unit has 2, 4 or 8 bytes.
// Segments may begin anywhere: they are read in whole words of 16 bytes, into slots of `pitch`
// bytes in shared memory. Short segments that follow each other are read as one.
constexpr unsigned kTileBytes = 20 * 1024;  // the bytes of all slots of a tile; each slot has
                                            // `width` bytes more
constexpr unsigned kTileRows = 288;         // the most rows that a tile may have if their segments
                                            // are looked up
constexpr unsigned kTileRowUnits = 2176;    // the most units that a row of the target may have
                                            // within a tile
struct TileMove {
  UnitsDim outer[kMoveDims - 1];  // slowest first
  int rank = 0;                   // of outer
  int width = 2;                  // bytes of a unit
  Writing writing = Writing::even;
  int full = 0;  // set if each place of the target has a place in the source
  unsigned blocks = 0;
  Run rows, a;
  UnitsDim inner;             // the inner dimension of a unit; its source stride is counted within
                              // a place of a
  unsigned a_inside = 1;      // the number of places of a that the source has; zeros are written
                              // beyond them
  unsigned a_bytes = 0;       // distance in bytes between two places of a, both in the source and
                              // in slots
  unsigned inner_bytes = 0;   // distance in bytes from the first byte of a place to the end of its
                              // last unit
  unsigned a_of_tile = 1;     // places of a
  unsigned rows_of_tile = 1;  // without rows_before
  unsigned rows_before = 0;   // the number of rows that `shifted` also reads, because parts are
                              // moved back
  unsigned pitch = 0;         // a multiple of 16
  unsigned row_bytes = 0;     // distance in bytes between two segments if they are read as one,
                              // else 0
  int spread = 0;  // if set, 16 bytes of padding follow each 128 bytes, and no segment lies across
                   // the padding
  Divider a_tiles, row_tiles;
  Divider slot_words;  // 16 bytes each
  Divider inner_units;
  Divider row_pieces;  // the number of pieces of a row within a tile; a piece has 16 or 8 bytes,
                       // for `flat` it is a unit
  // `piece_group` neighbouring threads write pieces of one row (8 threads if possible), and the
  // next threads write the same pieces of the next row. So they all read different banks.
  Divider piece_group;
  Divider places, lanes;       // for a tile, the number of places of a, and of rows that are
                               // written at the same time
  long long source_bytes = 0;  // the number of bytes, counted from the first unit, that may be read
};

struct TileMovePair {
  void* targets[2] = {};
  const void* sources[2] = {};
  TileMove moves[2];
};

}  // namespace atc::rewrite
