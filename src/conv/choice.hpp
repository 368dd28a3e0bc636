// The identity of a choice: zero or more rewrites, followed by the engine that computes. Each
// rewrite and the engine have a name, a version and a configuration. A choice is never identified
// by a position in a list.
#pragma once

#include <string>
#include <tuple>
#include <vector>

namespace atc::conv {

// A rewrite in a choice.
struct Link {
  std::string rewrite, version, configuration;
  bool operator==(const Link& other) const {
    return std::tie(rewrite, version, configuration) ==
           std::tie(other.rewrite, other.version, other.configuration);
  }
};

struct Choice {
  std::string engine, version, configuration;
  // The rewrites, the outermost first. Empty if the engine computes the problem itself.
  std::vector<Link> rewrites;
  bool operator==(const Choice& other) const {
    return std::tie(engine, version, configuration, rewrites) ==
           std::tie(other.engine, other.version, other.configuration, other.rewrites);
  }
};

// The text of a choice: "engine@version:configuration". For each rewrite, "rewrite@version>" or
// "rewrite@version(configuration)>" is put before this text.
std::string to_string(const Choice& choice);
// The text of one rewrite within the text of a choice, without the '>'.
std::string to_string(const Link& link);
Link parse_link(const std::string& text);  // throws Error(invalid_argument)
// The part of a choice's text before the engine: the texts of the rewrites, each with its '>'. ""
// if there is no rewrite.
std::string rewrites_text(const Choice& choice);
Choice parse_choice(const std::string& text);  // throws Error(invalid_argument)
// Whether the choice uses the engine or rewrite `name`: true if its engine or one of its rewrites
// has this name.
bool names(const Choice& choice, const std::string& name);

}  // namespace atc::conv
