// Makes text from a format string of fmt. To save compile time, the formatter itself is compiled
// only in format.cpp. A file that includes this header compiles only the code that packs the
// arguments.
#pragma once

#if __has_include(<fmt/base.h>)
#include <fmt/base.h>
#else
#include <fmt/core.h>
#endif

#include <string>
#include <string_view>

namespace atc {

std::string vformat(fmt::string_view format, fmt::format_args arguments);

template <typename... Args>
std::string format(fmt::format_string<Args...> text, Args&&... args) {
  return atc::vformat(text, fmt::make_format_args(args...));
}

template <typename Iterator>
std::string joined(Iterator first, Iterator last, std::string_view separator) {
  std::string text;
  for (Iterator at = first; at != last; ++at) {
    if (at != first) text += separator;
    text += format("{}", *at);
  }
  return text;
}

template <typename Range>
std::string joined(const Range& range, std::string_view separator) {
  return joined(range.begin(), range.end(), separator);
}

}  // namespace atc
