#include "core/error.hpp"

namespace atc {

void fail_formatted(Status status, fmt::string_view text, fmt::format_args arguments) {
  throw Error(status, atc::vformat(text, arguments));
}

}  // namespace atc
