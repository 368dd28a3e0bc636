// The libraries that atc uses or could use, described for people: which are loaded, and which are
// missing.
#pragma once

#include <string>
#include <vector>

namespace atc {

struct Library {
  bool loaded = false;
  std::string name;
  std::string version;           // version of the loaded library; "" if it is not known
  std::string compiled_version;  // version of the headers with which atc was built, or ""
  std::string file;
  std::string note;                  // the missing part and its effect, or ""
  std::vector<std::string> remarks;  // further facts about the library, one sentence each
};

std::vector<Library> libraries();  // each call returns the same names in the same order

}  // namespace atc
