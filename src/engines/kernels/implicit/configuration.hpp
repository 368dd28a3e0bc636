// A configuration of the implicit-GEMM kernels: which kernel, and the tile and groups of a block.
#pragma once

#include <string>

#include "engines/kernels/configuration_form.hpp"

namespace atc::implicit {

struct Configuration {
  int sixteens = 0;  // the number of m16 tiles of a warp: of pixels (forward, backward-data) or of
                     // filter elements (gradient)
  int eights = 0;    // of channels of a unit
  int groups = 1;    // of a block
  int tile_h = 0, tile_w = 0;
  int splits = 0;  // gradient: parts into which the sum over pixels is cut; 0: no gradient
  // For the kernels with wgmma: positions of a warpgroup in units of 64 (for a gradient:
  // accumulators of a warpgroup), output channels, and tiles of a block. Then `sixteens` and
  // `eights` are 0. For the other kernels these three are 0.
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

// to_string returns a text such as "tile_8x1_g8_4x28", "tile_5x2_g4_4x28_s33",
// "raster_2x112_t2_4x28" or "raster_3x112_t1_7x28_s11". parse_configuration throws
// Error(unsupported) for any other text.
inline std::string to_string(const Configuration& c) {
  return kernels::write(kConfigurationForm, c);
}
inline Configuration parse_configuration(const std::string& text) {
  return kernels::read(kConfigurationForm, text, "implicit", "tile_8x1_g8_4x28");
}

}  // namespace atc::implicit
