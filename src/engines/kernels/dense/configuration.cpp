#include "engines/kernels/dense/configuration.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "core/error.hpp"

namespace atc::dense {

namespace {

// Takes `before` and a number from the front of what is left.
bool take(std::string_view& text, std::string_view before, int& number) {
  if (text.substr(0, before.size()) != before) return false;
  text.remove_prefix(before.size());
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return true;
}

}  // namespace

bool Configuration::operator==(const Configuration& other) const {
  return rows == other.rows && columns == other.columns && strips == other.strips &&
         splits == other.splits;
}

std::string to_string(const Configuration& c) {
  std::string text = fmt::format("tile_{}x{}_s{}", c.rows, c.columns, c.strips);
  if (c.splits != 1) text += fmt::format("_c{}", c.splits);
  return text;
}

Configuration parse_configuration(const std::string& text) {
  Configuration c;
  std::string_view left = text;
  bool good =
      take(left, "tile_", c.rows) && take(left, "x", c.columns) && take(left, "_s", c.strips);
  if (good && !left.empty()) good = take(left, "_c", c.splits);
  // One text per configuration: what is read must be what is written.
  if (!good || to_string(c) != text)
    fail(Status::unsupported,
         "engine dense has no configuration '{}': they look like tile_128x256_s1", text);
  return c;
}

}  // namespace atc::dense
