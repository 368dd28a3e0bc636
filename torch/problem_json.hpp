// Writes a problem as a row of `atc tune`'s JSON (rust/atc-cli/README.md).
#pragma once

#include <nlohmann/json.hpp>

#include "atc/conv.h"

namespace atc_torch {

// Returns the members "op", "dtype", "layout", "bias" and "columns". All strides of the problem
// have to be known.
nlohmann::ordered_json to_json(const atc_conv_problem& problem);

}  // namespace atc_torch
