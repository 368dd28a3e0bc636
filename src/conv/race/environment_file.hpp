// Files in the root of a store that are no entries: each has facts about one environment, which is
// the device and the library versions of a key. The name is <kind>-<16 hex: environment>.json.
// Digests and bundles do not contain these files.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "store/entry.hpp"
#include "store/store.hpp"

namespace atc::conv {

struct EnvironmentFile {
  const char* kind;  // "ceilings"
  std::size_t most_bytes;
  const char* effect;  // the last part of the warning that a file cannot be used; may be ""

  // Calls `take` with the contents, if there is a file. If the file cannot be read or parsed, or if
  // `take` throws Error or Json::exception, the file counts as absent, one warning says so, and the
  // result is false.
  bool read(const store::Json& environment, const store::Store& store,
            const std::function<void(const store::Json&)>& take) const;
  // Replaces the file as a whole. Returns 0, or the system's error.
  int write(const store::Json& environment, const store::Store& store,
            const std::string& text) const;

 private:
  std::string name(const store::Json& environment) const;
};

}  // namespace atc::conv
