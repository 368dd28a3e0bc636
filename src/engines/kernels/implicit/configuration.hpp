// A configuration: which kernel, and what a block of it has.
#pragma once

#include <string>

namespace atc::implicit {

struct Configuration {
  int sixteens =
      0;  // of pixels for a warp (forward, backward-data), or of filter elements (gradient)
  int eights = 0;  // of channels of a unit
  int groups = 1;  // of a block
  int tile_h = 0, tile_w = 0;
  int splits = 0;  // gradient: parts of the sum over pixels; 0: no gradient
  // Products of warpgroups: positions of a warpgroup in units of 64 (gradient: accumulators of a
  // warpgroup), output channels, tiles of a block. `sixteens` and `eights` are then 0. For other
  // kernels these are 0.
  int parts = 0, columns = 0, tiles = 0;

  bool operator==(const Configuration&) const;
};

// "tile_8x1_g8_4x28", "tile_5x2_g4_4x28_s33", "raster_2x112_t2_4x28",
// "raster_3x112_t1_7x28_s11"; the inverse throws
// Error(unsupported) for anything else.
std::string to_string(const Configuration& configuration);
Configuration parse_configuration(const std::string& text);

}  // namespace atc::implicit
