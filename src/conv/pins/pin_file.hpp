// A pin file: choices and bars that a team keeps beside its program (docs/pins.md). A pin is for
// all problems that its pattern matches. It has a choice, which runs without measuring, or bars
// engines, rewrites or choices. The first matching pin with a choice decides. If there is none, the
// bars of all matching pins apply together.
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
  std::size_t number = 0;  // in the file, from 1
  std::size_t line = 0;    // of the file, on which the pin begins
  std::string name;        // or ""
  nlohmann::json match;    // the pattern
  std::optional<Choice> choice;
  std::vector<std::string> barred_names;  // of engines and rewrites
  std::vector<Choice> barred_choices;
};

struct PinFile {
  std::string path;
  std::vector<Pin> pins;
  // Over patterns, choices and bars, in their order: files that pin the same have the same hash,
  // whatever their layout, names and comments. Never 0.
  std::uint64_t hash = 0;

  std::string place(const Pin& pin) const;  // "pins.json:12: pin 3 (stem)"
};

// The pins of a file that are for one problem.
struct MatchingPins {
  const Pin* choice = nullptr;
  std::vector<const Pin*> bars;  // empty where there is a choice
};

// `fields`: of pattern_fields.
MatchingPins matching(const PinFile& file, const nlohmann::json& fields);

// Throws Error(io) if the file cannot be read, and Error(invalid_argument) if it is not a pin file.
// The message has the path, the line, the field and its value.
PinFile read_pin_file(const std::string& path);
PinFile parse_pin_file(std::string_view text, const std::string& path);

}  // namespace atc::conv
