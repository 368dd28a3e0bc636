// Copies a text into a field of a C struct that has a fixed number of bytes.
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

namespace atc::ffi {

// Returns how many bytes of `text` fit, together with a NUL, into a field of `capacity` bytes. No
// character of UTF-8 is cut in two.
inline std::size_t fitting(std::string_view text, std::size_t capacity) noexcept {
  if (text.size() < capacity) return text.size();
  std::size_t size = capacity - 1;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
  return size;
}

template <std::size_t N>
void copy_text(char (&field)[N], std::string_view text) noexcept {
  const std::size_t size = fitting(text, N);
  // memmove is used and not memcpy, because `text` may be a part of the field.
  std::memmove(field, text.data(), size);
  field[size] = '\0';
}

}  // namespace atc::ffi
