// Between the structs of the C boundary and the core's types: sizes, enums and views are checked
// here; convolution problems in convert_problem.cpp.
#pragma once

#include <cstdint>
#include <optional>

#include "atc/conv.h"
#include "conv/options.hpp"
#include "core/device_type.hpp"
#include "core/error.hpp"
#include "core/problem.hpp"

namespace atc::ffi {

// Copies a struct a caller wrote: what its version lacks is zero; a size below `first_size` or a
// non-zero tail that this version does not know is Error(invalid_argument).
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

// Each throws Error(invalid_argument) naming `name` and the value.
DeviceId to_device(atc_device device);
bool to_bool(std::int32_t value, const char* name);                   // 0 or 1
std::optional<bool> to_switch(std::int32_t value, const char* name);  // 0, ATC_OFF, ATC_ON
std::optional<std::uint64_t> to_limit(std::uint64_t value);           // 0, ATC_NONE, …
std::optional<tune::Technique> to_technique(std::int32_t value, const char* name);
double to_seconds(double value, double fallback, const char* name);  // 0: the fallback
std::size_t to_alignment(std::uint32_t value, const char* name);     // power of 2, or 0
atc_conv_options read_plan_options(const atc_conv_options* given);   // NULL: defaults
conv::PlanOptions to_plan_options(const atc_conv_options& known);
Dtype to_dtype(atc_data_type type, const char* name);

// The view has the tensor's dtype, shape and strides, and an address that its element size divides.
void check_view(const atc_tensor_view& view, const Tensor& expected, const char* name);
void* address_of(const atc_tensor_view& view);  // of the first element

// Validates every field; transposed problems come out in the direction they are the adjoint of.
Problem to_problem(const atc_conv_problem* given);
// The same problem with explicit strides, as registered engines see it. None when the C struct
// cannot say it (an output padding that only the extents of the adjoint show).
std::optional<atc_conv_problem> from_problem(const Problem& problem);

}  // namespace atc::ffi
