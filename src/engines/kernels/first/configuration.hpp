// A configuration of the kernels for first layers: the tile of a block, and how it is processed.
#pragma once

#include <string>

#include "engines/kernels/configuration_form.hpp"

namespace atc::first {

struct Configuration {
  int channels = 0;            // of the output
  int pixels = 0;              // the number of consecutive pixels of a tile; 0: the tile has rows
                               // and columns
  int tile_h = 0, tile_w = 0;  // 0: no tile
  int stages = 1;              // the number of tiles that shared memory holds at once
  int splits = 0;  // backward-weight: the number of parts into which the sum over tiles is cut
                   // (split-K); forward: 0

  bool staged = false;  // forward, channels first: true if outputs are stored through shared memory
  bool strips = false;  // backward-data: true if each warp has a tile of its own
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

// to_string returns a text such as "c64_p512_s2", "c64_t8x32_s1_o", "c64_p256_s2_n264" or
// "c64_t28x64_s2_w". parse_configuration throws Error(unsupported) for any other text.
inline std::string to_string(const Configuration& c) {
  return kernels::write(kConfigurationForm, c);
}
inline Configuration parse_configuration(const std::string& text) {
  return kernels::read(kConfigurationForm, text, "first", "c64_p512_s2 or c64_t8x32_s1");
}

}  // namespace atc::first
