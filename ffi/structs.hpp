// Structs of the C boundary that may get more fields. A caller's struct may be shorter than the
// struct known here if the program is older than this library, and longer if the program is newer.
#pragma once

#include <cstddef>
#include <cstdint>

#include "first_sizes.hpp"

namespace atc::ffi {

// The first and the current size of a struct.
struct KnownStruct {
  FirstVersion first;
  std::size_t size;
};

template <typename T>
constexpr KnownStruct known_struct() {
  static_assert(sizeof(T) >= first_version<T>().size, "a released struct does not shrink");
  return {first_version<T>(), sizeof(T)};
}

// Each function throws Error(invalid_argument), with `name` in its text, for NULL and for a size
// that no version of the struct has.
void check_struct(const void* given, const KnownStruct& known, const char* name);
void read_struct(void* to, const void* given, const KnownStruct& known, const char* name);
void write_struct(void* out, const void* from, const KnownStruct& known, const char* name);
void init_struct(void* out, std::size_t size, const void* from, const KnownStruct& known);

// Returns a caller's struct in the size of this version. Fields that the caller's version lacks
// become zero. Throws Error(invalid_argument) if a field that this version lacks is not zero.
template <typename T>
T read_struct(const T* given, const char* name) {
  T to{};
  read_struct(&to, given, known_struct<T>(), name);
  to.struct_size = sizeof(T);
  return to;
}

// Writes a struct of the size that the caller set as `out->struct_size`, and does not change that
// size. Fields that this version lacks become zero.
template <typename T>
void write_struct(T* out, const T& from, const char* name) {
  write_struct(out, &from, known_struct<T>(), name);
}

// Like write_struct, for a caller that passes the size as an argument because the struct is not
// initialised. Sets `out->struct_size`.
template <typename T>
void init_struct(T* out, std::size_t size, const T& from) {
  init_struct(out, size, &from, known_struct<T>());
}

}  // namespace atc::ffi
