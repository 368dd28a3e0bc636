#include "core/format.hpp"

// The formatter of fmt is compiled into libatc. So libatc needs no library for formatting at run
// time.
#define FMT_HEADER_ONLY 1
#include <fmt/format.h>

namespace atc {

std::string vformat(fmt::string_view format, fmt::format_args arguments) {
  return fmt::vformat(format, arguments);
}

}  // namespace atc
