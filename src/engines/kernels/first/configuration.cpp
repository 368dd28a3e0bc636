#include "engines/kernels/first/configuration.hpp"

#include <string_view>

#include "core/error.hpp"
#include "core/format.hpp"
#include "engines/configuration_text.hpp"

namespace atc::first {

bool Configuration::operator==(const Configuration& other) const {
  return channels == other.channels && pixels == other.pixels && tile_h == other.tile_h &&
         tile_w == other.tile_w && stages == other.stages && splits == other.splits &&
         staged == other.staged && strips == other.strips;
}

std::string to_string(const Configuration& c) {
  const std::string tile =
      c.pixels != 0 ? format("p{}", c.pixels) : format("t{}x{}", c.tile_h, c.tile_w);
  std::string text = format("c{}_{}_s{}", c.channels, tile, c.stages);
  if (c.splits != 0) text += format("_n{}", c.splits);
  if (c.staged) text += "_o";
  if (c.strips) text += "_w";
  return text;
}

Configuration parse_configuration(const std::string& text) {
  Configuration c;
  std::string_view left = text;
  bool good = take_number(left, "c", c.channels);
  if (good && !take_number(left, "_p", c.pixels))
    good = take_number(left, "_t", c.tile_h) && take_number(left, "x", c.tile_w);
  good = good && take_number(left, "_s", c.stages);
  if (good && left == "_o")
    c.staged = true;
  else if (good && left == "_w")
    c.strips = true;
  else if (good && !left.empty())
    good = take_number(left, "_n", c.splits);
  // One text per configuration: only what to_string writes is accepted.
  if (!good || to_string(c) != text)
    fail(Status::unsupported,
         "engine first has no configuration '{}': they look like c64_p512_s2 or c64_t8x32_s1",
         text);
  return c;
}

}  // namespace atc::first
