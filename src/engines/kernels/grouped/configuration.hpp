// A configuration: which kernel, and what a block of it has.
#pragma once

#include <string>

namespace atc::grouped {

struct Configuration {
  // m16 tiles of pixels that a warp multiplies at once. For a gradient: m16 tiles of filter
  // elements of a warp.
  int sixteens = 0;
  int eights = 0;  // of channels of a warp
  int groups = 1;  // of a block
  int tile_h = 0, tile_w = 0;
  int blocks = 0;  // on a multiprocessor; 0: a gradient
  int splits = 0;  // gradient: parts of the sum over pixels

  bool operator==(const Configuration&) const;
};

// "stream_4x1_g8_4x28_b3", "gradient_5x1_g8_4x28_s66"; the inverse throws Error(unsupported) for
// anything else.
std::string to_string(const Configuration& configuration);
Configuration parse_configuration(const std::string& text);

}  // namespace atc::grouped
