// The parameters of the CUDA kernels that move tensors (copy them to another layout). Host and
// device code share this header, so it does not use the standard library.
#pragma once

namespace atc::rewrite {

constexpr unsigned kMoveThreads = 256;  // the number of threads in a block of each kernel

// A divisor with precomputed constants. With these constants a number below 2^31 is divided by a
// multiplication and a shift.
struct Divider {
  unsigned divisor = 1, multiplier = 1, shift = 0;
};

// A dimension of a move, like MoveDim in move.hpp. Strides are in units (see UnitsMove).
struct UnitsDim {
  Divider extent, step;
  unsigned inside = 1;
  long long source = 0, target = 0;
};

constexpr int kMoveDims = 8;

// A move that copies one unit at a time. A unit is a sequence of 2, 4, 8 or 16 bytes that is
// contiguous in source and target.
struct UnitsMove {
  UnitsDim dims[kMoveDims];  // the dimension with the largest target stride first
  int rank = 0;
  int zero = 0;  // 1 if the whole target is set to zero
  // 1 if each place of the target has a place in the source, all steps are 1, and offsets fit into
  // 32 bits.
  int plain = 0;
  unsigned units = 0;
};
constexpr unsigned units_of_thread(unsigned bytes) { return bytes >= 8 ? 4 : 8; }

// A move of elements of 2 or 4 bytes. The kernel reads one element at a time from the source. It
// writes 8 or 16 bytes (a piece) at a time along the contiguous dimension of the target.
struct WideMove {
  // The dimensions, the one with the largest target stride first. The last dimension is contiguous
  // in the target, but not in the source.
  UnitsDim dims[kMoveDims];
  Divider pieces;  // the number of pieces of the last dimension
  int rank = 0;
  unsigned all_pieces = 0;
};
constexpr unsigned pieces_of_thread(unsigned length) { return 16 / length; }

// A run is a sequence of dimensions that are treated as one dimension. In the source or in the
// target, each dimension continues the next one: the stride of a dimension is the stride of the
// next dimension times the extent of the next dimension.
constexpr int kRunDims = 4;
struct Run {
  UnitsDim dims[kRunDims];  // the dimension with the largest target stride first
  int rank = 0;
  unsigned extent = 1;  // the number of places of all dimensions together
};

// How the rows of a tile are written to the target.
enum class Writing : int {
  even,  // Rows of the target, and their parts in a tile, begin at multiples of 16 bytes.
  // Rows of the target, and their parts in a tile, begin at multiples of 8 bytes. 8 bytes are
  // written at a time.
  half_even,
  // Rows may begin at any element. The part of a row in a tile begins up to 15 bytes earlier, at a
  // multiple of 16 bytes.
  shifted,
  flat,  // A tile contains whole rows, and each row begins where the previous row ends.
};

// The bytes of shared memory for all slots of a tile. A slot has room for one segment (see
// TileMove) and takes `pitch` + `width` bytes.
constexpr unsigned kTileBytes = 20 * 1024;
// The largest number of segments of a tile, if they are not read as one segment.
constexpr unsigned kTileRows = 288;
constexpr unsigned kTileRowUnits = 2176;  // the largest number of units of a row within a tile

// A move in tiles through shared memory, such as a transposition. `rows` and `a` are the two
// dimensions that are exchanged. For each place of `rows` there is a segment, which is contiguous
// in the source. A segment has `a.extent` places with `inner.extent` units each. For each place of
// `a` there is a row, which is contiguous in the target. A row has the units of all places of
// `rows`. A unit has 2, 4 or 8 bytes. A segment may begin at any address. The segments are read in
// aligned words of 16 bytes into slots of `pitch` bytes in shared memory. Short segments that
// follow each other in memory are read as one segment.
struct TileMove {
  UnitsDim outer[kMoveDims - 1];  // the dimension with the largest target stride first
  int rank = 0;                   // the number of dimensions of `outer`
  int width = 2;                  // the size of a unit in bytes
  Writing writing = Writing::even;
  int full = 0;  // 1 if each place of the target has a place in the source
  unsigned blocks = 0;
  Run rows, a;
  // The units of a place of `a` as a dimension. `inner.source` is the distance in the source
  // between two neighbouring units of a place, in units.
  UnitsDim inner;
  // The number of places of `a` that the source has. Further places are written as zeros.
  unsigned a_inside = 1;
  // The distance in bytes between two places of `a`, both in the source and in a slot.
  unsigned a_bytes = 0;
  // The distance in bytes from the first byte of a place of `a` to the end of the last unit of this
  // place.
  unsigned inner_bytes = 0;
  unsigned a_of_tile = 1;     // the number of places of `a` in a tile
  unsigned rows_of_tile = 1;  // the number of places of `rows` in a tile, without rows_before
  // The number of additional segments before a tile that are read for Writing::shifted, because the
  // parts of rows begin earlier.
  unsigned rows_before = 0;
  // The distance in bytes between two slots, without the `width` bytes of padding; a multiple
  // of 16.
  unsigned pitch = 0;
  // If the segments of a tile are read as one: the distance in bytes from a segment to the next.
  // Otherwise 0.
  unsigned row_bytes = 0;
  // 1 if 16 bytes of padding follow each 128 bytes in shared memory, otherwise 0. A segment is
  // never divided by padding.
  int spread = 0;
  Divider a_tiles, row_tiles;
  Divider slot_words;  // the number of words (16 bytes) of a slot
  Divider inner_units;
  // The number of pieces of a row within a tile. A piece has 16 or 8 bytes. For Writing::flat a
  // piece is a unit.
  Divider row_pieces;
  // `piece_group` neighbouring threads (8 if possible) write pieces of one row. The next
  // `piece_group` threads write the same pieces of the next row. So the threads of a warp read from
  // different banks.
  Divider piece_group;
  // `places` is the number of places of `a` in a tile. `lanes` is the number of rows that a block
  // writes at the same time.
  Divider places, lanes;
  // The number of bytes that may be read, counted from the first unit of the source.
  long long source_bytes = 0;
};

struct TileMovePair {
  void* targets[2] = {};
  const void* sources[2] = {};
  TileMove moves[2];
};

}  // namespace atc::rewrite
