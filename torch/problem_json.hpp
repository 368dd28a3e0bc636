// A problem as the rows of `atc tune`'s JSON say it (rust/atc-cli/README.md).
#pragma once

#include <nlohmann/json.hpp>

#include "atc/conv.h"

namespace atc_torch {

// Returns "op", "dtype", "layout", "bias" and "columns". All strides of the problem have to be
// known.
nlohmann::ordered_json to_json(const atc_conv_problem& problem);

}  // namespace atc_torch
