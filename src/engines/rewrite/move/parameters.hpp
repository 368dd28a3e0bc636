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

// Dimensions that are one in the source or in the target, as one.
constexpr int kRunDims = 3;
struct Run {
  UnitsDim dims[kRunDims];  // slowest first
  int rank = 0;
  unsigned extent = 1;  // of all
};

// Through shared memory, by tiles of a run `a`, along which the source is read, and a run `b`,
// along which the target is written. A tile is kTileWords words of 32 bits: 2^row_bits of them,
// which are neighbours along b, for each place along a. Units are of 2, 4 or 8 bytes.
constexpr unsigned kTileBits = 11, kTileWords = 1u << kTileBits;
struct TileMove {
  UnitsDim outer[kMoveDims - 2];  // slowest first
  int rank = 0;                   // of outer
  int row_bits = 5;
  int load_bytes = 2, store_bytes = 2;  // of an access along a, along b
  Divider a_tiles;
  unsigned b_tiles = 1;
  Run a, b;
  unsigned a_inside = 1;   // of a: beyond it zeros are written
  long long a_source = 1;  // stride
  long long b_target = 1;  // stride
};

}  // namespace atc::rewrite
