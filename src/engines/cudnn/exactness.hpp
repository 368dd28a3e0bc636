// Known facts about the exactness of cuDNN's engines that cuDNN does not report.
#pragma once

#include "core/problem.hpp"

namespace atc::cudnn {

struct Notes;

// Whether the engine transforms its operands, as Winograd and FFT do: by its notes, or because its
// sums of integers are not exact.
bool transforms(const Notes& notes, const Problem& problem);

// Whether the engine rounds sums of a depthwise layer to 16 bits before they are whole, as the
// correctness gate found on an H200. Such an engine is correct but imprecise: it must not run
// unchecked.
bool rounds_partial_sums(const Notes& notes, const Problem& problem);

}  // namespace atc::cudnn
