// The rules for statuses of the C ABI, checked by each fuzz target that calls the C ABI.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string_view>

#include "atc/atc.h"
#include "require.hpp"

#define REQUIRE_CALL(condition) REQUIRE_OR_TELL(condition, atc_last_error())

namespace fuzz {

// Returns true for an error. An error must be one of `documented` and must have a text.
inline bool refused(atc_status status, std::initializer_list<atc_status> documented) {
  if (status == ATC_OK) return false;
  REQUIRE_CALL(std::find(documented.begin(), documented.end(), status) != documented.end());
  REQUIRE(atc_last_error()[0] != '\0');
  return true;
}

using Bytes = std::unique_ptr<atc_bytes, decltype(&atc_bytes_destroy)>;
inline Bytes take(atc_bytes* bytes) { return Bytes(bytes, atc_bytes_destroy); }
inline std::string_view text_of(const Bytes& bytes) {
  return {atc_bytes_data(bytes.get()), atc_bytes_size(bytes.get())};
}

}  // namespace fuzz
