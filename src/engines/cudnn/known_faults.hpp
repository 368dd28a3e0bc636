// Versions of cuDNN that are known to compute something wrong.
#pragma once

#include <string>

#include "core/problem.hpp"

namespace atc::cudnn {

struct Notes;

// Empty, or what is known of the running cuDNN that keeps a configuration from being used.
std::string known_fault(const Notes& notes, const Problem& problem);

// Whether the engine transforms its operands, as Winograd and FFT do: because it says so, or
// because its sums of integers showed it.
bool transforms(const Notes& notes, const Problem& problem);

}  // namespace atc::cudnn
