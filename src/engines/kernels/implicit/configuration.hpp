// A configuration of the engine `implicit`: the kernel, the size of a tile, and the number of
// groups of a block. The engine has kernels with mma.sync, and kernels with wgmma (raster.hpp).
#pragma once

#include <string>

#include "engines/kernels/configuration_form.hpp"

namespace atc::implicit {

struct Configuration {
  // Only for kernels with mma.sync: the number of m16 tiles that a warp computes. M is pixels
  // (forward, backward-data) or filter elements (backward-weight).
  int sixteens = 0;
  // Only for kernels with mma.sync: the number of n8 tiles of output channels that a warp computes.
  int eights = 0;
  // The number of groups of the convolution that a block computes.
  int groups = 1;
  int tile_h = 0, tile_w = 0;
  // Backward-weight: the number of parts of the sum over pixels (split-K); otherwise 0.
  int splits = 0;
  // Only for the kernels with wgmma; 0 for the kernels with mma.sync. `parts`: the number of m64
  // tiles that a warpgroup computes; M is positions (forward, backward-data) or input channels of a
  // tap (backward-weight). `columns`: N, the number of output channels of a group, rounded up.
  // `tiles`: the number of tiles of a block. If these are set, `sixteens` and `eights` are 0.
  int parts = 0, columns = 0, tiles = 0;
};

inline constexpr kernels::Field<Configuration> kConfigurationForm[] = {
    {"raster_", &Configuration::parts, kernels::Written::where_set, &Configuration::parts},
    {"x", &Configuration::columns, kernels::Written::where_set, &Configuration::parts},
    {"_t", &Configuration::tiles, kernels::Written::where_set, &Configuration::parts},
    {"tile_", &Configuration::sixteens, kernels::Written::where_unset, &Configuration::parts},
    {"x", &Configuration::eights, kernels::Written::where_unset, &Configuration::parts},
    {"_g", &Configuration::groups, kernels::Written::where_unset, &Configuration::parts},
    {"_", &Configuration::tile_h},
    {"x", &Configuration::tile_w},
    {"_s", &Configuration::splits, kernels::Written::where_set, &Configuration::splits},
};

inline bool operator==(const Configuration& a, const Configuration& b) {
  return kernels::equal(kConfigurationForm, a, b);
}

// to_string returns a text such as "tile_8x1_g8_4x28" or, for backward-weight,
// "tile_5x2_g4_4x28_s33". For the kernels with wgmma it returns "raster_2x112_t2_4x28" or, for
// backward-weight, "raster_3x112_t1_7x28_s11". parse_configuration is the inverse. It throws
// Error(unsupported) if `text` is not the text of a configuration.
inline std::string to_string(const Configuration& c) {
  return kernels::write(kConfigurationForm, c);
}
inline Configuration parse_configuration(const std::string& text) {
  return kernels::read(kConfigurationForm, text, "implicit", "tile_8x1_g8_4x28");
}

}  // namespace atc::implicit
