// Functions that parse the text of a configuration (the text by which an engine names one of its
// kernels and its parameters). Each function reads the beginning of the text and removes what it
// has read.
#pragma once

#include <charconv>
#include <string_view>
#include <system_error>

namespace atc {

// If `left` begins with `word`, removes it and returns true. Otherwise returns false.
inline bool take_word(std::string_view& left, std::string_view word) {
  if (left.substr(0, word.size()) != word) return false;
  left.remove_prefix(word.size());
  return true;
}

// If `left` begins with the text `before` followed by a number, removes both, sets `number` to this
// number and returns true. Otherwise returns false.
template <typename Number>
bool take_number(std::string_view& left, std::string_view before, Number& number) {
  if (!take_word(left, before)) return false;
  const auto [stop, error] = std::from_chars(left.data(), left.data() + left.size(), number);
  if (error != std::errc()) return false;
  left.remove_prefix(static_cast<std::size_t>(stop - left.data()));
  return true;
}

}  // namespace atc
