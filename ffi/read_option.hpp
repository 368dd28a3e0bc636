// Each function reads one option from a field of a C struct. If the field is 0, a switch, mode,
// limit or time in `out` is not changed, so that the option keeps its default. Throws
// Error(invalid_argument) with `name` and the value in its text if the value is not allowed.
#pragma once

#include "atc/tune.h"
#include "convert.hpp"

namespace atc::ffi {

inline void read_switch(std::optional<bool>& out, std::int32_t value, const char* name) {
  if (const std::optional<bool> given = to_switch(value, name)) out = given;
}
inline void read_switch(bool& out, std::int32_t value, const char* name) {
  out = to_switch(value, name).value_or(out);
}
inline void read_tuning(std::optional<conv::TuningMode>& out, std::int32_t value,
                        const char* name) {
  if (const std::optional<conv::TuningMode> given = to_tuning_mode(value, name)) out = given;
}
inline void read_technique(std::optional<tune::Technique>& out, std::int32_t value,
                           const char* name) {
  if (const std::optional<tune::Technique> given = to_technique(value, name)) out = given;
}
inline void read_alignment(std::size_t& out, std::uint32_t value, const char* name) {
  out = to_alignment(value, name);
}
inline void read_limit(std::optional<std::uint64_t>& out, std::uint64_t value, const char*) {
  if (const std::optional<std::uint64_t> given = to_limit(value)) out = given;
}
inline void read_seconds(double& out, double value, const char* name) {
  out = to_seconds(value, out, name);
}
inline void read_names(std::vector<std::string>& out, const char* value, const char*) {
  out = to_names(value);
}
inline void require_zero(std::int32_t value, const char* name) {
  if (value != 0) fail(Status::invalid_argument, "{} is {}: set it to 0", name, value);
}

// The two functions read all options that need no handwritten code, such as switches and limits.
// abi/generate.py generates both functions from the table abi/fields.toml.
void read_plain_options(conv::PlanOptions& out, const atc_conv_options& known);
void read_plain_options(conv::PlanOptions& out, const atc_tune_options& known);

}  // namespace atc::ffi
