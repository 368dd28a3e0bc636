// All environment variables whose names begin with ATC_: those of libatc, and those of the bridge,
// the Python package, builds, scripts and tests, so that these are not reported as misspelt.
#pragma once

#include <string_view>
#include <vector>

namespace atc {

struct KnownVariable {
  std::string_view name;     // name of the variable. A name that ends with * stands for all names
                             // with this beginning
  std::string_view reader;   // who reads it
  std::string_view meaning;  // the meaning of the variable in Markdown, for docs/environment.md
};

// In the order of docs/environment.md.
const std::vector<KnownVariable>& known_variables();

// Logs one warning for each variable of the environment that begins with ATC_, has a value, and is
// not in known_variables().
void warn_of_unknown_variables();

}  // namespace atc
