// Reads and writes structs of the C interface, to which later versions of atc may add fields. A
// caller's struct is shorter than this library's struct if the program was built against an older
// version, and longer if it was built against a newer version.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "failure.hpp"
#include "first_sizes.hpp"

namespace atc_torch {

// Throws Failure if `size`, in bytes, is less than the size of the first version of the struct, or
// more than 64 KiB. No version is as large as that, so a caller with a larger size has probably
// forgotten to set it.
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

// Returns a copy of a caller's struct as this version's struct. Fields that the caller's version
// does not have become zero. Throws Failure if the caller's struct has further fields, unknown to
// this version, and one of them is not zero.
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

// Writes the fields of `known` to a caller's struct of `size` bytes and sets its struct_size.
// Fields of `out` that this version does not have become zero.
template <typename T>
void init_struct(T* out, std::size_t size, T known) {
  check_size<T>(size, "struct_size");
  known.struct_size = static_cast<std::uint32_t>(size);
  const std::size_t end = std::min(size, sizeof(T));
  std::memcpy(out, &known, end);
  std::memset(reinterpret_cast<char*>(out) + end, 0, size - end);
}

// Writes the fields of `known` to a caller's struct. The caller has set its size as
// `out->struct_size`.
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
