#include "engines/onednn/configuration.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "core/error.hpp"
#include "core/format.hpp"

namespace atc::onednn {

namespace {

using namespace std::string_view_literals;

constexpr std::array kLayouts{std::pair{"first"sv, Layout::first},
                              std::pair{"last"sv, Layout::last},
                              std::pair{"given"sv, Layout::given}, std::pair{"any"sv, Layout::any}};
constexpr std::array kAlgorithms{std::pair{"direct"sv, Algorithm::direct},
                                 std::pair{"deconvolution"sv, Algorithm::deconvolution},
                                 std::pair{"matmul"sv, Algorithm::matmul}};
constexpr std::array kMath{std::pair{"f32"sv, Dtype::f32}, std::pair{"bf16"sv, Dtype::bf16},
                           std::pair{"f16"sv, Dtype::f16}};

template <typename Table, typename Value>
std::string_view name_in(const Table& table, Value value) {
  for (const auto& [name, entry] : table)
    if (entry == value) return name;
  return "?";
}

// Reads "key=value;" from the beginning of `rest`, removes it from `rest` and returns the value. If
// `last` is true, the value has no ';' and ends at the end of the text.
std::string_view take(std::string_view& rest, std::string_view key, bool last,
                      const std::string& text) {
  const std::size_t end = last ? rest.size() : rest.find(';');
  const bool has_key = rest.substr(0, key.size()) == key && rest.size() > key.size() &&
                       rest[key.size()] == '=' && end != std::string_view::npos;
  if (!has_key)
    fail(Status::unsupported, "onednn configuration \"{}\" has no \"{}=\" where it belongs", text,
         key);
  const std::string_view value = rest.substr(key.size() + 1, end - key.size() - 1);
  rest.remove_prefix(last ? end : end + 1);
  return value;
}

template <typename Table>
auto value_in(const Table& table, std::string_view name, const std::string& text) {
  for (const auto& [entry, value] : table)
    if (entry == name) return value;
  fail(Status::unsupported, "onednn configuration \"{}\": no such value \"{}\"", text, name);
}

}  // namespace

std::string to_text(const Configuration& c) {
  return format("x={};w={};y={};math={};algorithm={};impl={}", name_in(kLayouts, c.x),
                name_in(kLayouts, c.w), name_in(kLayouts, c.y), name_in(kMath, c.math),
                name_in(kAlgorithms, c.algorithm), c.implementation);
}

Configuration parse(const std::string& text) {
  std::string_view rest = text;
  Configuration c;
  c.x = value_in(kLayouts, take(rest, "x", false, text), text);
  c.w = value_in(kLayouts, take(rest, "w", false, text), text);
  c.y = value_in(kLayouts, take(rest, "y", false, text), text);
  c.math = value_in(kMath, take(rest, "math", false, text), text);
  c.algorithm = value_in(kAlgorithms, take(rest, "algorithm", false, text), text);
  c.implementation = take(rest, "impl", true, text);
  if (c.implementation.empty() || c.implementation.find(';') != std::string::npos)
    fail(Status::unsupported, "onednn configuration \"{}\" names no implementation", text);
  return c;
}

Layouts layouts_of(const Problem& problem) {
  const auto name = [](const Tensor& tensor, bool last_first) {
    const bool first = tensor.channels_first(), last = tensor.channels_last();
    if (first && last) return last_first ? Layout::last : Layout::first;
    return first ? Layout::first : last ? Layout::last : Layout::given;
  };
  const bool last = problem.x.channels_last() && problem.y.channels_last();
  return {name(problem.x, last), name(problem.w, false), name(problem.y, last)};
}

}  // namespace atc::onednn
