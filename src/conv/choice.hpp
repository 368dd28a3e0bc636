// The identity of a choice: a chain of zero or more rewrites, and the engine that computes. Each
// has its version and its own configuration. A choice is never a position in a list.
#pragma once

#include <string>
#include <tuple>
#include <vector>

namespace atc::conv {

// A rewrite in a chain.
struct Link {
  std::string rewrite, version, configuration;
  bool operator==(const Link& other) const {
    return std::tie(rewrite, version, configuration) ==
           std::tie(other.rewrite, other.version, other.configuration);
  }
};

struct Choice {
  std::string engine, version, configuration;
  // The outermost first; empty if the engine computes the problem without rewrites.
  std::vector<Link> rewrites;
  bool operator==(const Choice& other) const {
    return std::tie(engine, version, configuration, rewrites) ==
           std::tie(other.engine, other.version, other.configuration, other.rewrites);
  }
};

// The text of a choice: "engine@version:configuration", with "rewrite@version>" or
// "rewrite@version(configuration)>" for each rewrite before it.
std::string to_string(const Choice& choice);
// The part of a choice's text for one rewrite, without the '>'.
std::string to_string(const Link& link);
Link parse_link(const std::string& text);  // throws Error(invalid_argument)
// The part of a choice's text before the engine: each rewrite with its '>'; "" if there is no
// rewrite.
std::string rewrites_text(const Choice& choice);
Choice parse_choice(const std::string& text);  // throws Error(invalid_argument)
// Whether the engine or one of the rewrites of the choice has this name.
bool names(const Choice& choice, const std::string& name);

}  // namespace atc::conv
