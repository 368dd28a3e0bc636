#include "engines/kernels/implicit/configuration.hpp"

#include <fmt/format.h>

#include <string_view>

#include "core/error.hpp"
#include "engines/configuration_text.hpp"

namespace atc::implicit {

bool Configuration::operator==(const Configuration& other) const {
  return sixteens == other.sixteens && eights == other.eights && groups == other.groups &&
         tile_h == other.tile_h && tile_w == other.tile_w && splits == other.splits;
}

std::string to_string(const Configuration& c) {
  std::string text =
      fmt::format("tile_{}x{}_g{}_{}x{}", c.sixteens, c.eights, c.groups, c.tile_h, c.tile_w);
  if (c.splits != 0) text += fmt::format("_s{}", c.splits);
  return text;
}

Configuration parse_configuration(const std::string& text) {
  Configuration c;
  std::string_view left = text;
  bool good = take_number(left, "tile_", c.sixteens) && take_number(left, "x", c.eights) &&
              take_number(left, "_g", c.groups) && take_number(left, "_", c.tile_h) &&
              take_number(left, "x", c.tile_w);
  if (good && !left.empty()) good = take_number(left, "_s", c.splits);
  // One text per configuration: what is read must be what is written.
  if (!good || to_string(c) != text)
    fail(Status::unsupported,
         "engine implicit has no configuration '{}': they look like tile_8x1_g8_4x28", text);
  return c;
}

}  // namespace atc::implicit
