#pragma once

#include <climits>
#include <cstddef>
#include <string_view>

#include "core/error.hpp"

namespace atc {

// The system takes no longer path, and the dynamic loader copies a name to its stack. `subject`:
// whose path it is, for Error(invalid_argument).
inline void check_path_length(std::string_view subject, std::size_t bytes) {
  if (bytes >= PATH_MAX)
    fail(Status::invalid_argument, "{} has {} bytes: a path has at most {}", subject, bytes,
         PATH_MAX - 1);
}

}  // namespace atc
