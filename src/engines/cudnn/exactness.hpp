// Facts about the exactness of cuDNN's engines, including facts that cuDNN does not report.
#pragma once

#include "core/problem.hpp"

namespace atc::cudnn {

struct Notes;

// Whether the cuDNN engine with the properties `notes` transforms its operands, as Winograd and FFT
// do. Returns true if cuDNN reports a transform, or if the engine's sums of integers are known not
// to be exact.
bool transforms(const Notes& notes, const Problem& problem);

// Whether the cuDNN engine with the properties `notes` rounds partial sums of a depthwise layer to
// 16 bits. The correctness check of candidates found two such engines on an H200. Such an engine is
// correct but imprecise, so its offers must not run without that check.
bool rounds_partial_sums(const Notes& notes, const Problem& problem);

}  // namespace atc::cudnn
