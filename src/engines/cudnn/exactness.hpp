// Known facts about the exactness of cuDNN's engines that cuDNN does not report.
#pragma once

#include "core/problem.hpp"

namespace atc::cudnn {

struct Notes;

// Whether the engine transforms its operands, as Winograd and FFT do. It does if its notes say so,
// or if it is known that its sums of integers are not exact.
bool transforms(const Notes& notes, const Problem& problem);

// Whether the engine rounds partial sums of a depthwise layer to 16 bits. The correctness check of
// races found such engines on an H200. Such an engine is correct but imprecise, so it must not run
// unchecked.
bool rounds_partial_sums(const Notes& notes, const Problem& problem);

}  // namespace atc::cudnn
