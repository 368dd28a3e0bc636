// Structs of the C boundary that may get more fields. A caller's struct may be shorter than the
// struct known here if the program is older than this library, and longer if the program is newer.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "failure.hpp"
#include "first_sizes.hpp"

namespace atc_torch {

// Throws Failure for a size that no version of the struct has. 64 KiB is larger than any version; a
// struct_size that was never set usually exceeds it.
template <typename T>
void check_size(std::size_t size, const std::string& field) {
  constexpr FirstVersion first = first_version<T>();
  static_assert(sizeof(T) >= first.size, "a released struct does not shrink");
  if (size >= first.size && size <= std::size_t{64} << 10) return;
  throw Failure(ATC_ERROR_INVALID_ARGUMENT, field + " is " + std::to_string(size) +
                                                ", the first version of " + first.type + " has " +
                                                std::to_string(first.size) + ": set it to sizeof(" +
                                                first.type + ") before the call");
}

// Returns a caller's struct in the size of this version. Fields that the caller's version lacks
// become zero. Throws Failure if a field that this version lacks is not zero.
template <typename T>
T read_struct(const T* given, const char* name) {
  const std::size_t size = required(given, name).struct_size;
  check_size<T>(size, std::string(name) + ".struct_size");
  const auto* const bytes = reinterpret_cast<const unsigned char*>(given);
  for (std::size_t i = sizeof(T); i < size; ++i)
    if (bytes[i] != 0)
      throw Failure(ATC_ERROR_INVALID_ARGUMENT,
                    std::string(name) + " has a field that this atc does not know: " +
                        first_version<T>().type + " has " + std::to_string(sizeof(T)) +
                        " bytes here and " + std::to_string(size) + " in the program, whose byte " +
                        std::to_string(i) + " is " + std::to_string(bytes[i]) +
                        ": set it to zero, or run the program with the atc it was built for");
  T known{};
  std::memcpy(&known, given, std::min(size, sizeof(T)));
  known.struct_size = sizeof(T);
  return known;
}

// Fills a caller's struct of `size` bytes. Fields that this version lacks become zero.
template <typename T>
void init_struct(T* out, std::size_t size, T known) {
  check_size<T>(size, "struct_size");
  known.struct_size = static_cast<std::uint32_t>(size);
  const std::size_t end = std::min(size, sizeof(T));
  std::memcpy(out, &known, end);
  std::memset(reinterpret_cast<char*>(out) + end, 0, size - end);
}

// Like init_struct, for a caller that set the size as `out->struct_size`.
template <typename T>
void write_struct(T* out, const T& known, const char* name) {
  const std::size_t size = required(out, name).struct_size;
  check_size<T>(size, std::string(name) + ".struct_size");
  init_struct(out, size, known);
}

template <std::size_t N>
void copy_text(char (&to)[N], const std::string& text) {
  const std::size_t length = std::min(text.size(), N - 1);
  std::memcpy(to, text.data(), length);
  to[length] = '\0';
}

}  // namespace atc_torch
