// Converts structs of the C interface to types of the core and back, and checks them. convert.cpp
// checks enums and views of tensors. convert_problem.cpp checks problems (descriptions of a
// convolution).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "atc/conv.h"
#include "conv/options.hpp"
#include "core/device_type.hpp"
#include "core/error.hpp"
#include "core/problem.hpp"
#include "structs.hpp"

namespace atc::ffi {

// Each function converts one value of a C struct. It throws Error(invalid_argument) if the value is
// not allowed. The text of the error contains `name` and the value.
DeviceId to_device(atc_device device);
// Converts a boolean, which must be 0 or 1.
bool to_bool(std::int32_t value, const char* name);
// Converts a switch: 0 (returns nullopt), ATC_OFF or ATC_ON.
std::optional<bool> to_switch(std::int32_t value, const char* name);
// Converts the option `tune`: 0 (returns nullopt), ATC_OFF, ATC_ON or ATC_TUNE_*.
std::optional<conv::TuningMode> to_tuning_mode(std::int32_t value, const char* name);
// Converts a limit: returns nullopt for 0, and 0 for ATC_NONE.
std::optional<std::uint64_t> to_limit(std::uint64_t value);
std::optional<tune::Technique> to_technique(std::int32_t value, const char* name);
// Converts a time in seconds. Returns `fallback` if the value is 0.
double to_seconds(double value, double fallback, const char* name);
// Converts an alignment in bytes, which must be a power of 2, or 0.
std::size_t to_alignment(std::uint32_t value, const char* name);
// Splits `list` at ','. Returns no names for NULL.
std::vector<std::string> to_names(const char* list);
// Returns a copy of the caller's plan options, or the default options if `given` is NULL.
atc_conv_options read_plan_options(const atc_conv_options* given);
conv::PlanOptions to_plan_options(const atc_conv_options& known);
Dtype to_dtype(atc_data_type type, const char* name);

// Throws Error(invalid_argument) if the view differs from `expected` in dtype, shape or strides, or
// if its address is not a multiple of the element size. `name` is the name of the view in the text
// of the error.
void check_view(const atc_tensor_view& view, const Tensor& expected, const char* name);
// Returns the address of the view's first element.
void* address_of(const atc_tensor_view& view);

// Converts a problem and checks all its fields. A transposed convolution becomes a Problem of
// another direction with x and y exchanged, as core/problem.hpp describes. Throws
// Error(invalid_argument).
Problem to_problem(const atc_conv_problem* given);
// Converts an array of problems. All elements must have the same `struct_size`. This is also the
// distance in bytes between two elements. Throws Error(invalid_argument).
std::vector<Problem> to_problems(const atc_conv_problem* problems, std::size_t count);
// Returns the problem as a C struct with explicit strides. Registered engines (implementations that
// a program adds by callbacks) get the problem in this form. The C struct has no field for the
// extents of the output, because they follow from the other fields. Returns nullopt if the problem
// has an output with other extents. This is so if the problem replaces a transposed convolution
// whose output padding is not less than the stride.
std::optional<atc_conv_problem> from_problem(const Problem& problem);
// Returns the problem as the caller described it, with explicit strides. `problem` must be a result
// of to_problem(). If the returned struct is passed to to_problem(), the result is `problem`.
atc_conv_problem to_caller_problem(const Problem& problem);

}  // namespace atc::ffi
