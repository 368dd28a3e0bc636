// Candidates of a decision as the C boundary shows them.
#pragma once

#include <cstddef>
#include <vector>

#include "atc/conv.h"
#include "conv/decision.hpp"

namespace atc::ffi {

// Strings are borrowed from `candidates`. Throws Error(invalid_argument) for an index out of range.
void write_candidate(atc_candidate* out, const std::vector<conv::Candidate>& candidates,
                     std::size_t index);

}  // namespace atc::ffi
