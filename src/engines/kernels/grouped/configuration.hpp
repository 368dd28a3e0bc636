// A configuration of the engine `grouped`: the kernel (forward and backward-data, or
// backward-weight), the size of a tile, and the number of groups of a block.
#pragma once

#include <string>

#include "engines/kernels/configuration_form.hpp"

namespace atc::grouped {

struct Configuration {
  // Forward and backward-data: the number of m16 tiles of pixels that a warp multiplies at once.
  // Backward-weight: the number of m16 tiles of filter elements that a warp computes.
  int sixteens = 0;
  // The number of n8 tiles of output channels that a warp computes.
  int eights = 0;
  // The number of groups of the convolution that a block computes.
  int groups = 1;
  // The number of rows and of columns of a tile. In backward-data, a tile has outputs of one phase:
  // outputs whose coordinates have the same remainder modulo the stride.
  int tile_h = 0, tile_w = 0;
  // The number of blocks that run on a multiprocessor at the same time; 0 for backward-weight.
  int blocks = 0;
  // Backward-weight: the number of parts of the sum over pixels (split-K). Otherwise 0.
  int splits = 0;
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

// to_string returns a text such as "stream_4x1_g8_4x28_b3" (forward and backward-data) or
// "gradient_5x1_g8_4x28_s66" (backward-weight). parse_configuration is the inverse. It throws
// Error(unsupported) if `text` is not the text of a configuration.
inline std::string to_string(const Configuration& c) {
  return kernels::write(kConfigurationForm, c);
}
inline Configuration parse_configuration(const std::string& text) {
  return kernels::read(kConfigurationForm, text, "grouped", "stream_4x1_g8_4x28_b3");
}

}  // namespace atc::grouped
