#include "core/error.hpp"

#include "core/printable.hpp"

namespace atc {

void fail_formatted(Status status, fmt::string_view text, fmt::format_args arguments) {
  throw Error(status, printable(atc::vformat(text, arguments)));
}

}  // namespace atc
