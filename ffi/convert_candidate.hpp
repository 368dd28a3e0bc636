// Writes the candidates of a decision into the structs of the C interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "atc/conv.h"
#include "conv/decision.hpp"

namespace atc::ffi {

// Writes one candidate to `out`. The strings in `out` belong to `decision`, so they are valid as
// long as `decision` exists. Throws Error(invalid_argument) if the index is out of range.
void write_candidate(atc_candidate* out, const conv::Decision& decision, std::size_t index);

// Returns the index as the C interface represents it: -1 stands for no index.
std::int64_t to_index(const std::optional<std::size_t>& index);

}  // namespace atc::ffi
