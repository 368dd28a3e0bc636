// A configuration: the tile of a block, and how images and sums are cut.
#pragma once

#include <string>

namespace atc::dense {

struct Configuration {
  int rows = 0, columns = 0;  // of a block: filters, and positions of the raster
  int strips = 1;             // that an image is cut into
  int splits = 1;             // parts of every tile's sum over channels
  // Parts of the sums of only those tiles that are left over once all blocks that run at once have
  // had equally many.
  int rest_splits = 1;

  bool operator==(const Configuration&) const;
};

// "tile_128x256_s1", "tile_64x128_s2_c4", "tile_128x256_s1_r8"; the inverse throws
// Error(unsupported) for anything else.
std::string to_string(const Configuration& configuration);
Configuration parse_configuration(const std::string& text);

}  // namespace atc::dense
