// Converts a problem to and from JSON: one row (an object) of the document that recordings and `atc
// tune` write. rust/atc-cli/README.md describes the document.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "atc/conv.h"

namespace atc::ffi {

// Returns an object with the members "op", "dtype", "layout", "bias" and "columns". `problem` must
// be valid. All other properties of the problem are written into "columns". `atc tune` refuses a
// row with a column that it does not know. So no property is silently ignored by a version of `atc
// tune` that does not know it.
nlohmann::ordered_json to_json(const atc_conv_problem& problem);

// Returns the problem of a row. The returned problem is not validated. Throws
// Error(invalid_argument) if a member is wrong. The text of the error names the row (`name`, such
// as "problems[3]") and the member.
atc_conv_problem problem_from_json(const nlohmann::json& row, const std::string& name);

}  // namespace atc::ffi
