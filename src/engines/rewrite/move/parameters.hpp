// What the kernels that move tensors are told. Shared by host and device, hence without the
// standard library.
#pragma once

namespace atc::rewrite {

constexpr unsigned kMoveThreads = 256;  // of a block of either kernel

// Division of numbers below 2^31 by one that stays the same.
struct Divider {
  unsigned divisor = 1, multiplier = 1, shift = 0;
};

// Strides in units (below). As MoveDim, with `inside` and `step` 32 bits wide.
struct UnitsDim {
  Divider extent;
  unsigned inside = 1, step = 1;
  long long source = 0, target = 0;
};

constexpr int kMoveDims = 8;

// Unit by unit, a unit being 2, 4, 8 or 16 bytes that are neighbours in source and target.
struct UnitsMove {
  UnitsDim dims[kMoveDims];  // slowest first
  int rank = 0;
  int zero = 0;   // all of the target
  int holes = 0;  // some of it
  unsigned units = 0;
};
constexpr unsigned units_of_thread(unsigned bytes) { return bytes >= 8 ? 4 : 8; }

// Through shared memory, by tiles of a dimension `a`, along which the source is read, and a
// dimension `b`, along which the target is written. A tile is kTileWords words of 32 bits:
// 2^row_bits of them, which are neighbours along b, for each place along a. Elements are of 2 or 4
// bytes.
constexpr unsigned kTileBits = 11, kTileWords = 1u << kTileBits;
struct TileMove {
  UnitsDim outer[kMoveDims - 2];  // slowest first
  int rank = 0;                   // of outer
  int row_bits = 5;
  int load_bytes = 2, store_bytes = 2;  // of an access along a, along b
  Divider a_tiles;
  unsigned b_tiles = 1;
  unsigned a_extent = 1, a_inside = 1;
  unsigned b_extent = 1, b_inside = 1, b_step = 1;
  long long a_source = 1, a_target = 0, b_source = 0, b_target = 1;
};

}  // namespace atc::rewrite
