// The member "columns" in the JSON of a problem: the sizes and options of the problem, named like
// the columns of a list of layers (rust/atc-cli/README.md).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "atc/conv.h"

namespace atc::ffi {

// Returns the columns of a problem. The problem must be valid.
nlohmann::ordered_json columns_to_json(const atc_conv_problem& problem);

// Sets those fields of the problem that are written as columns. The caller must have set the data
// type of x before. `name` is the name of `columns` in messages. Throws Error(invalid_argument) if
// a column is missing, wrong or not known.
void read_columns(atc_conv_problem& problem, const nlohmann::json& columns,
                  const std::string& name);

}  // namespace atc::ffi
