#include "engines/kernels/implicit/configuration.hpp"

#include <string_view>

#include "core/error.hpp"
#include "core/format.hpp"
#include "engines/configuration_text.hpp"

namespace atc::implicit {

bool Configuration::operator==(const Configuration& other) const {
  return sixteens == other.sixteens && eights == other.eights && groups == other.groups &&
         tile_h == other.tile_h && tile_w == other.tile_w && splits == other.splits &&
         parts == other.parts && columns == other.columns && tiles == other.tiles;
}

std::string to_string(const Configuration& c) {
  std::string text = c.parts != 0 ? format("raster_{}x{}_t{}", c.parts, c.columns, c.tiles)
                                  : format("tile_{}x{}_g{}", c.sixteens, c.eights, c.groups);
  text += format("_{}x{}", c.tile_h, c.tile_w);
  if (c.splits != 0) text += format("_s{}", c.splits);
  return text;
}

Configuration parse_configuration(const std::string& text) {
  Configuration c;
  std::string_view left = text;
  bool good = left.substr(0, 1) == "r"
                  ? take_number(left, "raster_", c.parts) && take_number(left, "x", c.columns) &&
                        take_number(left, "_t", c.tiles)
                  : take_number(left, "tile_", c.sixteens) && take_number(left, "x", c.eights) &&
                        take_number(left, "_g", c.groups);
  good = good && take_number(left, "_", c.tile_h) && take_number(left, "x", c.tile_w);
  if (good && !left.empty()) good = take_number(left, "_s", c.splits);
  // One text per configuration: only what to_string writes is accepted.
  if (!good || to_string(c) != text)
    fail(Status::unsupported,
         "engine implicit has no configuration '{}': they look like tile_8x1_g8_4x28", text);
  return c;
}

}  // namespace atc::implicit
