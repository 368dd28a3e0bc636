// Says how exact the results of cuDNN's engines are, also where cuDNN does not report it.
#pragma once

#include "core/problem.hpp"

namespace atc::cudnn {

struct Notes;

// Whether the cuDNN engine with the properties `notes` transforms its operands, as Winograd and FFT
// do. True if cuDNN reports a transform, or if the engine is known to compute inexact sums of
// integers.
bool transforms(const Notes& notes, const Problem& problem);

// Whether the cuDNN engine with the properties `notes` rounds partial sums of a depthwise layer to
// 16 bits. The correctness check of candidates found two such engines on an H200. Such an engine is
// correct but imprecise, so its offers must not run without that check.
bool rounds_partial_sums(const Notes& notes, const Problem& problem);

}  // namespace atc::cudnn
