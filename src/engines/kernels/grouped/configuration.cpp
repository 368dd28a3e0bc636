#include "engines/kernels/grouped/configuration.hpp"

#include <string_view>

#include "core/error.hpp"
#include "core/format.hpp"
#include "engines/configuration_text.hpp"

namespace atc::grouped {

bool Configuration::operator==(const Configuration& other) const {
  return sixteens == other.sixteens && eights == other.eights && groups == other.groups &&
         tile_h == other.tile_h && tile_w == other.tile_w && blocks == other.blocks &&
         splits == other.splits;
}

std::string to_string(const Configuration& c) {
  const bool gradient = c.splits != 0;
  return format("{}_{}x{}_g{}_{}x{}_{}{}", gradient ? "gradient" : "stream", c.sixteens, c.eights,
                c.groups, c.tile_h, c.tile_w, gradient ? 's' : 'b', gradient ? c.splits : c.blocks);
}

Configuration parse_configuration(const std::string& text) {
  Configuration c;
  std::string_view left = text;
  const bool gradient = left.substr(0, 1) == "g";
  const bool good =
      take_number(left, gradient ? "gradient_" : "stream_", c.sixteens) &&
      take_number(left, "x", c.eights) && take_number(left, "_g", c.groups) &&
      take_number(left, "_", c.tile_h) && take_number(left, "x", c.tile_w) &&
      (gradient ? take_number(left, "_s", c.splits) : take_number(left, "_b", c.blocks));
  // One text per configuration: only what to_string writes is accepted.
  if (!good || to_string(c) != text)
    fail(Status::unsupported,
         "engine grouped has no configuration '{}': they look like stream_4x1_g8_4x28_b3", text);
  return c;
}

}  // namespace atc::grouped
