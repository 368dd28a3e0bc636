// Versions of cuDNN that are known to compute something wrong.
#pragma once

#include <string>
#include <vector>

#include "core/problem.hpp"

namespace atc::cudnn {

struct Notes;

// Empty, or the fault of the running cuDNN because of which the configuration is not used.
std::string known_fault(const Notes& notes, const Problem& problem);

// Whether the engine transforms its operands, as Winograd and FFT do: by its notes, or because its
// sums of integers are not exact.
bool transforms(const Notes& notes, const Problem& problem);

// Whether the engine rounds sums of a depthwise layer to 16 bits before they are whole, as the
// correctness gate found on an H200. Such an engine is correct but imprecise: it must not run
// unchecked.
bool rounds_partial_sums(const Notes& notes, const Problem& problem);

// Whether the running cuDNN is said to compute such a problem wrongly once problems of other
// spatial sizes have run. Which of its configurations do so is not known.
bool remembers_sizes(const Problem& problem);

// The known faults of the running cuDNN, for any problem.
std::vector<std::string> known_faults();

}  // namespace atc::cudnn
