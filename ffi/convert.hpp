// Between the structs of the C boundary and the core's types: sizes, enums, shapes are checked here.
#pragma once

#include <cstdint>

#include "atc/conv.h"
#include "core/device_type.hpp"
#include "core/error.hpp"
#include "core/problem.hpp"

namespace atc::ffi {

// Copies a struct a caller wrote: what its version lacks is zero; a size below `first_size` or a non-zero
// tail that this version does not know is Error(invalid_argument).
void read_struct(void* known, std::size_t known_size, std::size_t first_size, const void* given,
                 const char* name);

template <typename T>
T read_struct(const T* given, std::size_t first_size, const char* name) {
  T known{};
  read_struct(&known, sizeof(T), first_size, given, name);
  return known;
}

// Writes a struct up to the size its caller knows; `out->struct_size` stays as the caller set it.
void write_struct(void* out, const void* known, std::size_t known_size, std::size_t first_size,
                  const char* name);

template <typename T>
void write_struct(T* out, const T& known, std::size_t first_size, const char* name) {
  write_struct(static_cast<void*>(out), &known, sizeof(T), first_size, name);
}

DeviceId to_device(atc_device device);
bool to_bool(std::int32_t value, const char* name);        // 0 or 1, else Error(invalid_argument)

// Validates every field; throws Error(invalid_argument) naming the field and its value. Transposed
// problems come out in the direction they are the adjoint of.
Problem to_problem(const atc_conv_problem* problem);
// The same problem with explicit strides, as registered engines see it.
atc_conv_problem from_problem(const Problem& problem);

}  // namespace atc::ffi
