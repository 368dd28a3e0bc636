#include "conv/pins/pin_file.hpp"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <system_error>
#include <utility>

#include "conv/pins/pin_pattern.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "core/printable.hpp"
#include "store/files.hpp"
#include "store/hash.hpp"
#include "store/strict_json.hpp"

namespace atc::conv {

using Json = nlohmann::json;

namespace {

constexpr std::size_t kMaxBytes = std::size_t{4} << 20;
constexpr int kSchema = 1;

std::string shown(const Json& value) { return atc::shown(value.dump()); }

std::size_t line_at(std::string_view text, std::size_t byte) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(byte, text.size()));
  return 1 + static_cast<std::size_t>(std::count(text.begin(), end, '\n'));
}

// Returns the number of the line on which each pin (object of the list "pins") begins. `text` is a
// valid document in which "pins" is the only list of objects.
std::vector<std::size_t> lines_of_pins(std::string_view text) {
  std::vector<std::size_t> lines;
  std::size_t line = 1;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') ++line;
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      if (c == '{' && depth == 2) lines.push_back(line);
      ++depth;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return lines;
}

void require_members(const Json& object, std::initializer_list<const char*> known,
                     const std::string& where) {
  for (const auto& [name, value] : object.items()) {
    const bool is_known = std::any_of(known.begin(), known.end(),
                                      [&, &name = name](const char* one) { return name == one; });
    if (!is_known)
      fail(Status::invalid_argument, "{}{} is not a member of a pin file: use {}", where,
           atc::shown(name, 40), joined(known.begin(), known.end(), ", "));
  }
}

std::string text_member(const Json& object, const char* name) {
  const auto member = object.find(name);
  if (member == object.end()) return "";
  if (!member->is_string())
    fail(Status::invalid_argument, "{} is {}: write a text", name, shown(*member));
  return member->get<std::string>();
}

// Reads the bar (the names that the pin excludes). A text with a ':' is a choice. Any other text is
// the name of an engine or a rewrite.
void read_bar(const Json& bar, Pin& pin) {
  const auto add = [&](const Json& one) {
    if (!one.is_string() || one.get<std::string>().empty())
      fail(Status::invalid_argument,
           "bar has {}: write the name of an engine or a rewrite, or a choice", shown(one));
    const auto text = one.get<std::string>();
    if (text.find(':') != std::string::npos)
      pin.barred_choices.push_back(parse_choice(text));
    else if (text.find_first_of("@>()") != std::string::npos)
      fail(Status::invalid_argument,
           "bar has {}: write a name without a version, or a whole choice, "
           "engine@version:configuration",
           shown(one));
    else
      pin.barred_names.push_back(text);
  };
  if (!bar.is_array()) return add(bar);
  if (bar.empty()) fail(Status::invalid_argument, "bar is empty: name an engine or a choice");
  for (const Json& one : bar) add(one);
}

Pin read_pin(const Json& json) {
  if (!json.is_object()) fail(Status::invalid_argument, "is {}: write an object", shown(json));
  require_members(json, {"name", "comment", "match", "choice", "bar"}, "");
  Pin pin;
  pin.name = text_member(json, "name");
  text_member(json, "comment");
  const auto match = json.find("match");
  if (match == json.end())
    fail(Status::invalid_argument, "has no match: write {{}} where it is for all problems");
  check_pattern(*match);
  pin.match = *match;
  if (json.contains("choice") == json.contains("bar"))
    fail(Status::invalid_argument, "has {} choice and bar: write one of them",
         json.contains("choice") ? "both" : "neither");
  if (json.contains("choice"))
    pin.choice = parse_choice(text_member(json, "choice"));
  else
    read_bar(json.at("bar"), pin);
  return pin;
}

std::uint64_t hash_of(const std::vector<Pin>& pins) {
  Json canonical = Json::array();
  for (const Pin& pin : pins) {
    Json bars = pin.barred_names;
    for (const Choice& choice : pin.barred_choices) bars.push_back(to_string(choice));
    canonical.push_back({pin.match, pin.choice ? to_string(*pin.choice) : "", bars});
  }
  return std::max<std::uint64_t>(1, store::hash64("atc pins 1" + canonical.dump()));
}

}  // namespace

std::string PinFile::place(const Pin& pin) const {
  return format("{}:{}: pin {}{}", path, pin.line, pin.number,
                pin.name.empty() ? "" : format(" ({})", atc::shown(pin.name)));
}

MatchingPins matching(const PinFile& file, const Json& fields) {
  MatchingPins found;
  for (const Pin& pin : file.pins) {
    if (!matches(pin.match, fields)) continue;
    if (pin.choice) return {&pin, {}};
    found.bars.push_back(&pin);
  }
  return found;
}

PinFile parse_pin_file(std::string_view text, const std::string& path) {
  Json json;
  std::string reason;
  std::size_t byte = 0;
  if (!store::parse_strictly(text, &json, &reason, &byte))
    fail(Status::invalid_argument, "{}{}: the pin file {}", path,
         byte == 0 ? "" : format(":{}", line_at(text, byte - 1)), reason);
  PinFile file;
  file.path = path;
  std::string where = format("{}: ", path);
  try {
    if (!json.is_object())
      fail(Status::invalid_argument, "the pin file is {}: write an object", shown(json));
    require_members(json, {"$schema", "schema", "comment", "pins"}, "");
    text_member(json, "$schema");
    text_member(json, "comment");
    const auto schema = json.find("schema");
    if (schema == json.end() || *schema != kSchema)
      fail(Status::invalid_argument, "schema is {}: this version of atc reads schema {}",
           schema == json.end() ? "missing" : shown(*schema), kSchema);
    const auto pins = json.find("pins");
    if (pins == json.end() || !pins->is_array())
      fail(Status::invalid_argument, "pins is {}: write a list",
           pins == json.end() ? "missing" : shown(*pins));
    const std::vector<std::size_t> lines = lines_of_pins(text);
    for (const Json& one : *pins) {
      const std::size_t number = file.pins.size() + 1;
      const std::size_t line = lines.size() < number ? 1 : lines[number - 1];
      where = format("{}:{}: pin {}: ", path, line, number);
      Pin pin = read_pin(one);
      pin.number = number;
      pin.line = line;
      file.pins.push_back(std::move(pin));
    }
  } catch (const Error& error) {
    fail(error.status(), "{}{}", where, error.what());
  }
  file.hash = hash_of(file.pins);
  return file;
}

PinFile read_pin_file(const std::string& path) {
  // If the path cannot be resolved, the error is reported by read_file below.
  std::error_code ignored;
  const std::filesystem::path target = std::filesystem::weakly_canonical(path, ignored);
  const store::FileText file = store::read_file(ignored ? path : target.string(), kMaxBytes);
  if (file.state == store::FileText::State::absent)
    fail(Status::io, "the pin file '{}' does not exist", path);
  if (file.state == store::FileText::State::refused)
    fail(Status::io, "the pin file '{}' {}", path, file.reason);
  return parse_pin_file(file.text, path);
}

}  // namespace atc::conv
