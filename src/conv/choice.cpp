#include "conv/choice.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace atc::conv {

std::string to_string(const Choice& choice) {
  return fmt::format("{}@{}:{}", choice.engine, choice.version, choice.configuration);
}

Choice parse_choice(const std::string& text) {
  const auto at = text.find('@');
  const auto colon = at == std::string::npos ? at : text.find(':', at);
  if (at == 0 || colon == std::string::npos)
    fail(Status::invalid_argument,
         "choice '{}' is not of the form engine@version:configuration, as atc_conv_plan_choice "
         "tells it",
         text.substr(0, 200));
  return {text.substr(0, at), text.substr(at + 1, colon - at - 1), text.substr(colon + 1)};
}

}  // namespace atc::conv
