// Conversions between the structs of the C boundary and the core's types. convert.cpp checks enums
// and views; convert_problem.cpp checks convolution problems.
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

// Each function throws Error(invalid_argument) with `name` and the value in its text.
DeviceId to_device(atc_device device);
bool to_bool(std::int32_t value, const char* name);                   // 0 or 1
std::optional<bool> to_switch(std::int32_t value, const char* name);  // 0, ATC_OFF, ATC_ON
// Converts 0, ATC_OFF, ATC_ON or ATC_TUNE_*.
std::optional<conv::TuningMode> to_tuning_mode(std::int32_t value, const char* name);
std::optional<std::uint64_t> to_limit(std::uint64_t value);  // 0, ATC_NONE, …
std::optional<tune::Technique> to_technique(std::int32_t value, const char* name);
double to_seconds(double value, double fallback, const char* name);  // 0: the fallback
std::size_t to_alignment(std::uint32_t value, const char* name);     // power of 2, or 0
std::vector<std::string> to_names(const char* list);                 // separated by ','; NULL: none
atc_conv_options read_plan_options(const atc_conv_options* given);   // NULL: defaults
conv::PlanOptions to_plan_options(const atc_conv_options& known);
Dtype to_dtype(atc_data_type type, const char* name);

// Requires the view to have the tensor's dtype, shape and strides, and an address that is a
// multiple of the element size. Throws Error(invalid_argument).
void check_view(const atc_tensor_view& view, const Tensor& expected, const char* name);
void* address_of(const atc_tensor_view& view);  // of the first element

// Checks every field. Turns a transposed problem into an ordinary one, as core/problem.hpp
// describes.
Problem to_problem(const atc_conv_problem* given);
// The elements of an array lie `struct_size` of the first one apart, and all have this size.
std::vector<Problem> to_problems(const atc_conv_problem* problems, std::size_t count);
// Returns the problem as a C struct with explicit strides, the form that registered engines get.
// Returns nullopt if the C struct cannot express the problem. Its fields imply an output extent;
// the adjoint of a transposed convolution has another one if the output padding is at least the
// stride.
std::optional<atc_conv_problem> from_problem(const Problem& problem);
// The problem as a caller described it, with explicit strides: to_problem() gives `problem` again.
// For problems that came from to_problem().
atc_conv_problem to_caller_problem(const Problem& problem);

}  // namespace atc::ffi
