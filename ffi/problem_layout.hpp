// The member "layout" in the JSON of a problem.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "atc/conv.h"

namespace atc::ffi {

// Returns the name of the layout if x, w and y all have the same named layout. Otherwise returns an
// object with the strides of x, w and y. The problem must be valid.
nlohmann::ordered_json layout_to_json(const atc_conv_problem& problem);

// Sets the layout of a problem, and the strides if the layout is given by strides. `row` is the
// JSON object of the problem, and `name` is the name of this object in messages. The caller must
// have set the number of dimensions of the problem. Throws Error(invalid_argument).
void read_layout(atc_conv_problem& problem, const nlohmann::json& row, const std::string& name);

}  // namespace atc::ffi
