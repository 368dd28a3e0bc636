// A configuration of the grouped kernels: which kernel, and the tile and groups of a block.
#pragma once

#include <string>

#include "engines/kernels/configuration_form.hpp"

namespace atc::grouped {

struct Configuration {
  // The number of m16 tiles of pixels that a warp multiplies at once. For a gradient: of filter
  // elements of a warp.
  int sixteens = 0;
  int eights = 0;  // of channels of a warp
  int groups = 1;  // of a block
  int tile_h = 0, tile_w = 0;
  int blocks = 0;  // blocks on a multiprocessor; 0: a gradient
  int splits = 0;  // gradient: parts into which the sum over pixels is cut
};

inline constexpr kernels::Field<Configuration> kConfigurationForm[] = {
    {"stream_", &Configuration::sixteens, kernels::Written::where_set, &Configuration::blocks},
    {"gradient_", &Configuration::sixteens, kernels::Written::where_set, &Configuration::splits},
    {"x", &Configuration::eights},
    {"_g", &Configuration::groups},
    {"_", &Configuration::tile_h},
    {"x", &Configuration::tile_w},
    {"_b", &Configuration::blocks, kernels::Written::where_set, &Configuration::blocks},
    {"_s", &Configuration::splits, kernels::Written::where_set, &Configuration::splits},
};

inline bool operator==(const Configuration& a, const Configuration& b) {
  return kernels::equal(kConfigurationForm, a, b);
}

// to_string returns a text such as "stream_4x1_g8_4x28_b3" or "gradient_5x1_g8_4x28_s66".
// parse_configuration throws Error(unsupported) for any other text.
inline std::string to_string(const Configuration& c) {
  return kernels::write(kConfigurationForm, c);
}
inline Configuration parse_configuration(const std::string& text) {
  return kernels::read(kConfigurationForm, text, "grouped", "stream_4x1_g8_4x28_b3");
}

}  // namespace atc::grouped
