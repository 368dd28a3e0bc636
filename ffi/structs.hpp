// Structs that grow. A caller's struct may be shorter than the version known here, because the
// program is older than this library, or longer, because the program is newer.
#pragma once

#include <cstddef>
#include <cstdint>

#include "first_sizes.hpp"

namespace atc::ffi {

// A struct as this library knows it.
struct KnownStruct {
  FirstVersion first;
  std::size_t size;
};

template <typename T>
constexpr KnownStruct known_struct() {
  static_assert(sizeof(T) >= first_version<T>().size, "a released struct does not shrink");
  return {first_version<T>(), sizeof(T)};
}

// Each throws Error(invalid_argument) naming `name`: for NULL, and for a size that no version of
// the struct has.
void check_struct(const void* given, const KnownStruct& known, const char* name);
void read_struct(void* to, const void* given, const KnownStruct& known, const char* name);
void write_struct(void* out, const void* from, const KnownStruct& known, const char* name);
void init_struct(void* out, std::size_t size, const void* from, const KnownStruct& known);

// A struct that a caller wrote, in the size of this version: fields that the caller's version lacks
// are zero. Fields that this version lacks must be zero, else Error(invalid_argument).
template <typename T>
T read_struct(const T* given, const char* name) {
  T to{};
  read_struct(&to, given, known_struct<T>(), name);
  to.struct_size = sizeof(T);
  return to;
}

// Writes a struct of the size that the caller set as `out->struct_size`, which does not change.
// Fields that this version does not have become zero.
template <typename T>
void write_struct(T* out, const T& from, const char* name) {
  write_struct(out, &from, known_struct<T>(), name);
}

// The same for a caller that passes the size beside a struct without contents. Sets
// `out->struct_size`.
template <typename T>
void init_struct(T* out, std::size_t size, const T& from) {
  init_struct(out, size, &from, known_struct<T>());
}

}  // namespace atc::ffi
