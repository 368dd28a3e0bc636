// A problem as a row of the JSON that recordings and `atc tune` write (rust/atc-cli/README.md).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "atc/conv.h"

namespace atc::ffi {

// Returns "op", "dtype", "layout", "bias" and "columns". The problem is valid. Members that
// `atc tune` does not know are columns, so that it refuses the row.
nlohmann::ordered_json to_json(const atc_conv_problem& problem);

// The problem of a row, not yet validated. Throws Error(invalid_argument), which names the member;
// `name` is the row's ("problems[3]").
atc_conv_problem problem_from_json(const nlohmann::json& row, const std::string& name);

// A member of an object. Each throws Error(invalid_argument), which names the member by `name`.
std::int64_t integer_from_json(const nlohmann::json& object, const char* member,
                               std::int64_t absent, const std::string& name);
bool flag_from_json(const nlohmann::json& object, const char* member, const std::string& name);
// "" if it is absent
std::string text_from_json(const nlohmann::json& object, const char* member,
                           const std::string& name);

}  // namespace atc::ffi
