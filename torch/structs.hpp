// Structs of the C boundary, which may grow. A caller's struct may be longer than the version known
// here: the bytes beyond have to be zero when it is read, and are not written.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "guard.hpp"

namespace atc_torch {

template <typename T>
void check_size(const T& given, const char* name) {
  if (given.struct_size >= sizeof(T)) return;
  throw Failure(ATC_ERROR_INVALID_ARGUMENT,
                std::string(name) + "->struct_size is " + std::to_string(given.struct_size) +
                    ", the first version has " + std::to_string(sizeof(T)) +
                    ": set it to sizeof(*" + name + ") before the call");
}

template <typename T>
T read_struct(const T* given, const char* name) {
  check_size(required(given, name), name);
  const auto* const bytes = reinterpret_cast<const unsigned char*>(given);
  for (std::size_t i = sizeof(T); i < given->struct_size; ++i)
    if (bytes[i] != 0)
      throw Failure(ATC_ERROR_INVALID_ARGUMENT,
                    std::string(name) + " has a field at byte " + std::to_string(i) +
                        " that this version of atc does not know and that is not zero");
  T known;
  std::memcpy(&known, given, sizeof(T));
  return known;
}

// `struct_size` stays as the caller set it.
template <typename T>
void write_struct(T* out, T known, const char* name) {
  check_size(required(out, name), name);
  known.struct_size = out->struct_size;
  std::memcpy(out, &known, sizeof(T));
}

template <std::size_t N>
void copy_text(char (&to)[N], const std::string& text) {
  const std::size_t length = std::min(text.size(), N - 1);
  std::memcpy(to, text.data(), length);
  to[length] = '\0';
}

}  // namespace atc_torch
