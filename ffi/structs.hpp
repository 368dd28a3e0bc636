// Reads and writes structs of the C interface, to which later versions of atc may add fields. A
// caller's struct is shorter than this library's struct if the program was built against an older
// version, and longer if it was built against a newer version.
#pragma once

#include <cstddef>
#include <cstdint>

#include "first_sizes.hpp"

namespace atc::ffi {

// The sizes in bytes of a struct in its first version and in this version.
struct KnownStruct {
  FirstVersion first;
  std::size_t size;
};

template <typename T>
constexpr KnownStruct known_struct() {
  static_assert(sizeof(T) >= first_version<T>().size, "a released struct does not shrink");
  return {first_version<T>(), sizeof(T)};
}

// The template functions below call these functions, which do the work on the bytes of the structs.
// Each function throws Error(invalid_argument) if the caller's pointer is NULL, or if the caller's
// size is less than that of the struct's first version or more than 64 KiB. The text of the error
// has the `name` of the struct.
void check_struct(const void* given, const KnownStruct& known, const char* name);
void read_struct(void* to, const void* given, const KnownStruct& known, const char* name);
void write_struct(void* out, const void* from, const KnownStruct& known, const char* name);
void init_struct(void* out, std::size_t size, const void* from, const KnownStruct& known);

// Returns a copy of a caller's struct as this version's struct. Fields that the caller's version
// does not have become zero. Throws Error(invalid_argument) if the caller's struct has further
// fields, unknown to this version, and one of them is not zero.
template <typename T>
T read_struct(const T* given, const char* name) {
  T to{};
  read_struct(&to, given, known_struct<T>(), name);
  to.struct_size = sizeof(T);
  return to;
}

// Writes the fields of `from` to the caller's struct. The caller has set `out->struct_size`, which
// remains unchanged. Fields of `out` that this version does not have become zero.
template <typename T>
void write_struct(T* out, const T& from, const char* name) {
  write_struct(out, &from, known_struct<T>(), name);
}

// Writes the fields of `from` to a caller's struct that is not initialised. The caller passes the
// size of the struct, and `out->struct_size` is set to this size.
template <typename T>
void init_struct(T* out, std::size_t size, const T& from) {
  init_struct(out, size, &from, known_struct<T>());
}

}  // namespace atc::ffi
