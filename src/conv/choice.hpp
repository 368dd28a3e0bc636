// The identity of a choice: engine, its version and that engine's own configuration. Never a
// position in a list.
#pragma once

#include <string>

namespace atc::conv {

struct Choice {
  std::string engine, version, configuration;
  bool operator==(const Choice& other) const {
    return engine == other.engine && version == other.version &&
           configuration == other.configuration;
  }
};

std::string to_string(const Choice& choice);   // "engine@version:configuration"
Choice parse_choice(const std::string& text);  // throws Error(invalid_argument)

}  // namespace atc::conv
