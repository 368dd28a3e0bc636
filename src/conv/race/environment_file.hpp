// Files in the root of a store that are not entries. Each file contains facts about one environment
// (the device and the library versions of a key). Its name is <kind>-<16 hex: environment>.json.
// Digests and bundles do not include these files.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "store/entry.hpp"
#include "store/store.hpp"

namespace atc::conv {

struct EnvironmentFile {
  const char* kind;  // the first part of the name, such as "ceilings"
  std::size_t most_bytes;
  // The last part of the warning that a file cannot be used. This part states the consequence; it
  // may be "".
  const char* effect;

  // Calls `take` with the contents of the file, if there is a file. Returns false if the file
  // cannot be read or parsed, or if `take` throws Error or Json::exception. Then one warning is
  // logged, and the caller has to continue as if there were no file.
  bool read(const store::Json& environment, const store::Store& store,
            const std::function<void(const store::Json&)>& take) const;
  // Replaces the whole file. Returns 0 on success, and otherwise the error number (errno) of the
  // system.
  int write(const store::Json& environment, const store::Store& store,
            const std::string& text) const;

 private:
  std::string name(const store::Json& environment) const;
};

}  // namespace atc::conv
