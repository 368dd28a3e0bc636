// A configuration of the engine `first`: the kernel, the tile of a block, and the number of stages.
#pragma once

#include <string>

#include "engines/kernels/configuration_form.hpp"

namespace atc::first {

struct Configuration {
  int channels = 0;  // the number of output channels that a block computes
  // The number of consecutive pixels of a tile. 0: the tile is a rectangle of tile_h x tile_w
  // pixels.
  int pixels = 0;
  // The number of rows and of columns of the tile. Both are 0 if `pixels` is set.
  int tile_h = 0, tile_w = 0;
  // The number of stages (buffers in shared memory that are filled in turn). A stage holds the
  // input of a tile or, in backward-data, a row of dy.
  int stages = 1;
  // Backward-weight: the number of parts of the sum over tiles (split-K). Otherwise 0.
  int splits = 0;

  // Forward with channels first: true if outputs are stored by way of shared memory.
  bool staged = false;
  // Backward-data: true for the kernel of strips.cu, false for the kernel of scatter.cu.
  bool strips = false;
};

inline constexpr kernels::Field<Configuration> kConfigurationForm[] = {
    {"c", &Configuration::channels},
    {"_p", &Configuration::pixels, kernels::Written::where_set, &Configuration::pixels},
    {"_t", &Configuration::tile_h, kernels::Written::where_unset, &Configuration::pixels},
    {"x", &Configuration::tile_w, kernels::Written::where_unset, &Configuration::pixels},
    {"_s", &Configuration::stages},
    {"_n", &Configuration::splits, kernels::Written::where_set, &Configuration::splits},
    {"_o", &Configuration::staged},
    {"_w", &Configuration::strips},
};

inline bool operator==(const Configuration& a, const Configuration& b) {
  return kernels::equal(kConfigurationForm, a, b);
}

// to_string returns a text such as "c64_p512_s2" or "c64_t8x32_s1_o" (forward), "c64_p256_s2_n264"
// (backward-weight) or "c64_t28x64_s2_w" (backward-data in strips). parse_configuration is the
// inverse. It throws Error(unsupported) if `text` is not the text of a configuration.
inline std::string to_string(const Configuration& c) {
  return kernels::write(kConfigurationForm, c);
}
inline Configuration parse_configuration(const std::string& text) {
  return kernels::read(kConfigurationForm, text, "first", "c64_p512_s2 or c64_t8x32_s1");
}

}  // namespace atc::first
