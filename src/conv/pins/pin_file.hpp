// A pin file: choices and bars that a team keeps with its program (docs/pins.md). A pin applies to
// all problems that match its pattern. A pin has either a choice, which runs without measuring, or
// bars, which exclude engines, rewrites or choices. If several matching pins have choices, the
// first of them decides. If no matching pin has a choice, the bars of all matching pins apply
// together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conv/choice.hpp"
#include "core/json.hpp"

namespace atc::conv {

struct Pin {
  std::size_t number = 0;  // the position of the pin in the file, counted from 1
  std::size_t line = 0;    // the line of the file on which the pin begins
  std::string name;        // the name of the pin; "" if it has none
  nlohmann::json match;    // the pattern
  std::optional<Choice> choice;
  // the names of the engines and rewrites that the pin bars (excludes)
  std::vector<std::string> barred_names;
  std::vector<Choice> barred_choices;
};

struct PinFile {
  std::string path;
  std::vector<Pin> pins;
  // A hash of the patterns, choices and bars, in the order of the file. It is never 0. The layout
  // of the file, the names of pins and comments have no influence.
  std::uint64_t hash = 0;

  std::string place(const Pin& pin) const;  // returns, for example, "pins.json:12: pin 3 (stem)"
};

// The pins of a file that apply to one problem.
struct MatchingPins {
  const Pin* choice = nullptr;
  // The matching pins that have bars (names of excluded engines, rewrites and choices). Empty if
  // `choice` is set.
  std::vector<const Pin*> bars;
};

// Returns the pins of the file that match a problem. `fields` is the result of pattern_fields.
MatchingPins matching(const PinFile& file, const nlohmann::json& fields);

// Reads a pin file. Throws Error(io) if the file cannot be read, and Error(invalid_argument) if it
// is not a pin file. The text of the error has the path, the line, the field and its value.
PinFile read_pin_file(const std::string& path);
PinFile parse_pin_file(std::string_view text, const std::string& path);

}  // namespace atc::conv
