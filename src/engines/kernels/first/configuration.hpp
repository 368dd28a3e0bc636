// A configuration of the kernels for first layers: the tile of a block, and how it is processed.
#pragma once

#include <string>

namespace atc::first {

struct Configuration {
  int channels = 0;            // of the output
  int pixels = 0;              // consecutive pixels of an image; 0: a tile of rows and columns
  int tile_h = 0, tile_w = 0;  // 0: no tile
  int stages = 1;              // tiles that shared memory holds at once
  int splits = 0;  // backward-weight: parts into which the sum over tiles is cut; 0: forward

  bool staged = false;  // forward, channels first: outputs are stored through shared memory
  bool strips = false;  // backward-data: each warp has a tile of its own

  bool operator==(const Configuration&) const;
};

// to_string returns a text such as "c64_p512_s2", "c64_t8x32_s1_o", "c64_p256_s2_n264" or
// "c64_t28x64_s2_w". parse_configuration throws Error(unsupported) for any other text.
std::string to_string(const Configuration& configuration);
Configuration parse_configuration(const std::string& text);

}  // namespace atc::first
