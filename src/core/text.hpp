// Small functions on texts that C++17 does not have.
#pragma once

#include <string_view>

namespace atc {

inline bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace atc
