#pragma once

#include <climits>
#include <cstddef>
#include <string_view>

#include "core/error.hpp"

namespace atc {

// Throws Error(invalid_argument) if a path of `bytes` bytes is too long for the system. The check
// is needed because the dynamic loader copies paths to its stack, however long they are. `subject`
// is the name of the path in the text of the error.
inline void check_path_length(std::string_view subject, std::size_t bytes) {
  if (bytes >= PATH_MAX)
    fail(Status::invalid_argument, "{} has {} bytes: a path has at most {}", subject, bytes,
         PATH_MAX - 1);
}

}  // namespace atc
