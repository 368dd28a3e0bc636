// The identity of a way to compute: which kernel, and what a block of it has.
#pragma once

#include <string>

namespace atc::grouped {

struct Configuration {
  int sixteens = 0;  // of pixels that a warp multiplies at once
  int eights = 0;    // of channels of a warp
  int groups = 1;    // of a block
  int tile_h = 0, tile_w = 0;
  int blocks = 1;  // on a multiprocessor

  bool operator==(const Configuration&) const;
};

// "stream_8x1_g8_4x28_b3"; the inverse throws Error(unsupported) for anything else.
std::string to_string(const Configuration& configuration);
Configuration parse_configuration(const std::string& text);

}  // namespace atc::grouped
