#pragma once

#include <climits>
#include <cstddef>
#include <string_view>

#include "core/error.hpp"

namespace atc {

// Refuses paths that the system cannot take (the dynamic loader copies a name to its stack) by
// Error(invalid_argument). `subject`: the name of the path in that error.
inline void check_path_length(std::string_view subject, std::size_t bytes) {
  if (bytes >= PATH_MAX)
    fail(Status::invalid_argument, "{} has {} bytes: a path has at most {}", subject, bytes,
         PATH_MAX - 1);
}

}  // namespace atc
