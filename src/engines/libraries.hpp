// The libraries atc uses or would use, for people who ask what is there and what is missing.
#pragma once

#include <string>
#include <vector>

namespace atc {

struct Library {
  bool loaded = false;
  std::string name;
  std::string version;           // running; "" when not loaded or when it tells none
  std::string compiled_version;  // "" when there is none
  std::string file;
  std::string note;                  // what is missing and what that costs, or ""
  std::vector<std::string> remarks;  // what else is to be known of it, a sentence each
};

std::vector<Library> libraries();  // the same names in the same order at every call

}  // namespace atc
