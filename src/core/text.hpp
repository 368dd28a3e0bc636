// Small functions on texts that are missing in C++17.
#pragma once

#include <string_view>

namespace atc {

inline bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace atc
