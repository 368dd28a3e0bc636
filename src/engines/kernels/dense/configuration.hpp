// A configuration: the tile of a block, and how images and sums are cut.
#pragma once

#include <string>

namespace atc::dense {

struct Configuration {
  int rows = 0, columns = 0;  // of a block's tile: filters, and positions of the raster
  int strips = 1;             // strips that an image is cut into
  int splits = 1;             // parts into which every tile's sum over channels is cut
  // Parts into which only the sums of the last tiles are cut: those that remain after all blocks
  // that run at once have had equally many tiles.
  int rest_splits = 1;

  bool operator==(const Configuration&) const;
};

// to_string returns a text such as "tile_128x256_s1", "tile_64x128_s2_c4" or "tile_128x256_s1_r8".
// parse_configuration throws Error(unsupported) for any other text.
std::string to_string(const Configuration& configuration);
Configuration parse_configuration(const std::string& text);

}  // namespace atc::dense
