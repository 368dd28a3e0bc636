#include "engines/kernels/dense/configuration.hpp"

#include <string_view>

#include "core/error.hpp"
#include "core/format.hpp"
#include "engines/configuration_text.hpp"

namespace atc::dense {

bool Configuration::operator==(const Configuration& other) const {
  return rows == other.rows && columns == other.columns && strips == other.strips &&
         splits == other.splits && rest_splits == other.rest_splits;
}

std::string to_string(const Configuration& c) {
  std::string text = format("tile_{}x{}_s{}", c.rows, c.columns, c.strips);
  if (c.splits != 1) text += format("_c{}", c.splits);
  if (c.rest_splits != 1) text += format("_r{}", c.rest_splits);
  return text;
}

Configuration parse_configuration(const std::string& text) {
  Configuration c;
  std::string_view left = text;
  bool good = take_number(left, "tile_", c.rows) && take_number(left, "x", c.columns) &&
              take_number(left, "_s", c.strips);
  if (good && !left.empty())
    good = take_number(left, "_c", c.splits) || take_number(left, "_r", c.rest_splits);
  // One text per configuration: only what to_string writes is accepted.
  if (!good || to_string(c) != text)
    fail(Status::unsupported,
         "engine dense has no configuration '{}': they look like tile_128x256_s1", text);
  return c;
}

}  // namespace atc::dense
