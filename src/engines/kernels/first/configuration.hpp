// A configuration: what a block has at once.
#pragma once

#include <string>

namespace atc::first {

struct Configuration {
  int channels = 0;            // of the output
  int pixels = 0;              // consecutive ones of an image; 0: a tile
  int tile_h = 0, tile_w = 0;  // 0: no tile
  int stages = 1;              // tiles in shared memory at once
  int splits = 0;              // backward-weight: parts of the sum over tiles; 0: forward

  bool staged = false;  // forward, channels first: outputs leave by way of shared memory
  bool strips = false;  // backward-data: a warp has a tile to itself

  bool operator==(const Configuration&) const;
};

// "c64_p512_s2", "c64_t8x32_s1_o", "c64_p256_s2_n264", "c64_t28x64_s2_w"; the inverse throws
// Error(unsupported) for anything else.
std::string to_string(const Configuration& configuration);
Configuration parse_configuration(const std::string& text);

}  // namespace atc::first
