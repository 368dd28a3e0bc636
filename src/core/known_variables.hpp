// A list of all environment variables of atc; their names begin with ATC_. Besides the variables of
// libatc, the list has those of the bridge, the Python package, builds, scripts and tests, so that
// libatc does not report them as misspelt.
#pragma once

#include <string_view>
#include <vector>

namespace atc {

struct KnownVariable {
  std::string_view name;     // The name of the variable. A final * stands for any text.
  std::string_view reader;   // the part of the project that reads the variable
  std::string_view meaning;  // the meaning of the variable in Markdown, for docs/environment.md
};

// Returns the list in the order of docs/environment.md.
const std::vector<KnownVariable>& known_variables();

// Logs one warning for each variable in the environment that begins with ATC_, is not empty, and is
// not in known_variables().
void warn_of_unknown_variables();

}  // namespace atc
