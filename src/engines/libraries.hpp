// The libraries that atc uses or could use, described for people: which are loaded, and which are
// missing.
#pragma once

#include <string>
#include <vector>

namespace atc {

struct Library {
  bool loaded = false;
  std::string name;
  std::string version;           // of the loaded library; "" where unknown
  std::string compiled_version;  // of the headers atc was built with, or ""
  std::string file;
  std::string note;                  // a missing part and its effect, or ""
  std::vector<std::string> remarks;  // further facts about the library, one sentence each
};

std::vector<Library> libraries();  // each call returns the same names in the same order

}  // namespace atc
