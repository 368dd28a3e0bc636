// A configuration of forward and backward-data of the engine `dense`: the size of a tile, the
// number of strips of an image, and the number of parts of a sum (split-K).
#pragma once

#include <string>

#include "engines/kernels/configuration_form.hpp"

namespace atc::dense {

struct Configuration {
  // The size of a block's tile: filters (M) x positions of the raster (N).
  int rows = 0, columns = 0;
  int strips = 1;  // the number of strips of columns into which an image is cut
  // The number of parts into which the sum over channels of each tile is cut (split-K).
  int splits = 1;
  // The number of parts into which the sum over channels is cut for the last tiles only. If the
  // blocks compute equal numbers of tiles, some tiles may remain, but fewer than there are blocks.
  // These are the last tiles.
  int rest_splits = 1;
};

inline constexpr kernels::Field<Configuration> kConfigurationForm[] = {
    {"tile_", &Configuration::rows},
    {"x", &Configuration::columns},
    {"_s", &Configuration::strips},
    {"_c", &Configuration::splits, kernels::Written::where_set, &Configuration::splits},
    {"_r", &Configuration::rest_splits, kernels::Written::where_set, &Configuration::rest_splits},
};

inline bool operator==(const Configuration& a, const Configuration& b) {
  return kernels::equal(kConfigurationForm, a, b);
}

// to_string returns a text such as "tile_128x256_s1", "tile_64x128_s2_c4" or "tile_128x256_s1_r8".
// parse_configuration is the inverse. It throws Error(unsupported) if `text` is not the text of a
// configuration.
inline std::string to_string(const Configuration& c) {
  return kernels::write(kConfigurationForm, c);
}
inline Configuration parse_configuration(const std::string& text) {
  return kernels::read(kConfigurationForm, text, "dense", "tile_128x256_s1");
}

}  // namespace atc::dense
