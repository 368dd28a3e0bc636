// The parameters of the CUDA kernels that move tensors (copy them to another layout). Host and
// device code share this header, so it does not use the standard library.
#pragma once

namespace atc::rewrite {

constexpr unsigned kMoveThreads = 256;  // the number of threads in a block of each kernel

// A divisor with constants that are computed on the host. With these constants the kernels divide a
// number below 2^31 by a multiplication and a shift.
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
  UnitsDim dims[kMoveDims];  // sorted by the strides in the target, the largest first
  int rank = 0;
  int zero = 0;  // 1 if the whole target is set to zero
  // 1 if each unit of the target has a counterpart in the source, all steps are 1, and all offsets
  // fit into 32 bits.
  int plain = 0;
  unsigned units = 0;
};
constexpr unsigned units_of_thread(unsigned bytes) { return bytes >= 8 ? 4 : 8; }

// A move of elements of 2 or 4 bytes. A thread reads one element at a time from the source, and
// writes a piece of 8 or 16 bytes at a time along the contiguous dimension of the target.
struct WideMove {
  // The dimensions, the one with the largest target stride first. The last dimension is contiguous
  // in the target, but not in the source.
  UnitsDim dims[kMoveDims];
  Divider pieces;  // the number of pieces (8 or 16 bytes) of the last dimension
  int rank = 0;
  unsigned all_pieces = 0;
};
constexpr unsigned pieces_of_thread(unsigned length) { return 16 / length; }

// A run is a sequence of dimensions that are treated as one. This is possible if they are
// contiguous to each other in the source or in the target: the stride of each dimension is the
// stride of the next one times the extent of the next one.
constexpr int kRunDims = 4;
struct Run {
  UnitsDim dims[kRunDims];  // sorted by the strides in the target, the largest first
  int rank = 0;
  unsigned extent = 1;  // the number of places of all dimensions together
};

// The ways in which the rows of a tile (TileMove) can be written to the target.
enum class Writing : int {
  even,  // Rows of the target, and their parts in a tile, begin at multiples of 16 bytes.
  // Rows of the target, and their parts in a tile, begin at multiples of 8 bytes. Each write has 8
  // bytes.
  half_even,
  // Rows may begin at any element. So that 16 aligned bytes can be written at a time, the part of a
  // row in a tile begins up to 15 bytes earlier, at a multiple of 16 bytes.
  shifted,
  flat,  // A tile contains whole rows, and each row begins where the previous row ends.
};

// The number of bytes of shared memory for all slots of a tile. A slot has room for one segment
// (see TileMove). It takes `pitch` bytes and `width` bytes of padding.
constexpr unsigned kTileBytes = 20 * 1024;
// The largest number of segments of a tile (TileMove), unless all of them are read as one segment.
constexpr unsigned kTileRows = 288;
constexpr unsigned kTileRowUnits = 2176;  // the largest number of units of a row within a tile

// A move that exchanges two dimensions, such as a transposition. Each block copies a tile of it
// through shared memory. `rows` and `a` are the two dimensions. For each index of `rows` there is a
// segment: units that are contiguous in the source. A segment has `a.extent` places (indices of
// `a`) with `inner.extent` units each. For each place of `a` there is a row: units that are
// contiguous in the target. A row has the units of all indices of `rows`. A unit has 2, 4 or 8
// bytes. A segment may begin at any address. A block reads the segments in aligned words of 16
// bytes, and writes each into a slot of `pitch` bytes in shared memory. Short segments that follow
// each other in the source are read as one segment.
struct TileMove {
  UnitsDim outer[kMoveDims - 1];  // sorted by the strides in the target, the largest first
  int rank = 0;                   // the number of dimensions of `outer`
  int width = 2;                  // the size of a unit in bytes
  Writing writing = Writing::even;
  int full = 0;  // 1 if each place of the target has a place in the source
  unsigned blocks = 0;
  Run rows, a;
  // A dimension whose indices are the units of one place of `a`. `inner.source` is the distance
  // between two neighbouring units of a place in the source, in units.
  UnitsDim inner;
  // The number of places of `a` that exist in the source. The target may have more; these are set
  // to zero.
  unsigned a_inside = 1;
  // The distance in bytes between two neighbouring places (indices) of the dimension `a`, both in
  // the source and in a slot.
  unsigned a_bytes = 0;
  // The number of bytes from the first byte of a place (an index) of the dimension `a` to the end
  // of its last unit.
  unsigned inner_bytes = 0;
  unsigned a_of_tile = 1;     // the number of places of `a` in a tile
  unsigned rows_of_tile = 1;  // the number of places of `rows` in a tile, without rows_before
  // For Writing::shifted, the parts of rows begin earlier than the tile. So the block also reads
  // this number of segments before the tile.
  unsigned rows_before = 0;
  // The distance in bytes between two slots, without the `width` bytes of padding; a multiple
  // of 16.
  unsigned pitch = 0;
  // If the segments of a tile are read as one segment: the distance in bytes from a segment to the
  // next one in the source. Otherwise 0.
  unsigned row_bytes = 0;
  // 1 if 16 bytes of padding follow each 128 bytes in shared memory, otherwise 0. A segment is
  // never divided by padding.
  int spread = 0;
  Divider a_tiles, row_tiles;
  Divider slot_words;  // the number of words (16 bytes) of a slot
  Divider inner_units;
  // The number of pieces of a row within a tile. A piece is what one thread writes at a time: 16 or
  // 8 bytes. For Writing::flat the number of units is set here instead.
  Divider row_pieces;
  // `piece_group` neighbouring threads (8 if possible) write neighbouring pieces of one row. The
  // next `piece_group` threads write the same pieces of the next row. So the threads of a warp read
  // from different banks of shared memory.
  Divider piece_group;
  // `places` is the number of places of `a` in a tile, and `lanes` the number of rows that a block
  // writes at the same time. Both are divisors in the kernel.
  Divider places, lanes;
  // The number of bytes of the source that may be read, counted from the first unit of the source.
  long long source_bytes = 0;
};

struct TileMovePair {
  void* targets[2] = {};
  const void* sources[2] = {};
  TileMove moves[2];
};

}  // namespace atc::rewrite
