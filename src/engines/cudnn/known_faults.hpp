// Versions of cuDNN that are known to compute something wrong.
#pragma once

#include <string>
#include <vector>

#include "core/problem.hpp"

namespace atc::cudnn {

struct Notes;

// Empty, or what is known of the running cuDNN that keeps a configuration from being used.
std::string known_fault(const Notes& notes, const Problem& problem);

// Whether the engine transforms its operands, as Winograd and FFT do: because it says so, or
// because its sums of integers showed it.
bool transforms(const Notes& notes, const Problem& problem);

// Whether the engine rounds sums of a depthwise layer to 16 bits before they are whole, as the
// correctness gate found on an H200: right but for its precision, so nothing that runs unchecked.
bool rounds_partial_sums(const Notes& notes, const Problem& problem);

// What the running cuDNN is known for, whatever the problem.
std::vector<std::string> known_faults();

}  // namespace atc::cudnn
