#include "core/format.hpp"

// fmt's formatter is compiled into libatc, so that libatc needs no formatting library at run time.
#define FMT_HEADER_ONLY 1
#include <fmt/format.h>

namespace atc {

std::string vformat(fmt::string_view format, fmt::format_args arguments) {
  return fmt::vformat(format, arguments);
}

}  // namespace atc
