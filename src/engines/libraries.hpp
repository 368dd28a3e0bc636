// Describes the libraries that atc uses or could use, for people: which libraries are loaded, and
// which are missing.
#pragma once

#include <string>
#include <vector>

namespace atc {

struct Library {
  bool loaded = false;
  std::string name;
  std::string version;           // the version of the loaded library; "" if it is not known
  std::string compiled_version;  // the version of the headers with which atc was built, or ""
  std::string file;
  // Says which part is missing and what does not work without the part. "" if no part is missing.
  std::string note;
  std::vector<std::string> remarks;  // further facts about the library, one sentence each
};

// Describes the libraries that atc uses or could use. Each call returns the same names in the same
// order.
std::vector<Library> libraries();

}  // namespace atc
