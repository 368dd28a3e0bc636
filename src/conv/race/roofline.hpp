// The bound that the roofline model sets to the time of a problem, where the rates of the device
// are known.
#pragma once

#include "conv/options.hpp"
#include "conv/race/ceilings.hpp"
#include "core/problem.hpp"

namespace atc::conv {

// Seconds per call below which no candidate is expected; 0: not known. Arithmetic counts only if
// the kernel has one element: for other kernels Winograd's method needs fewer operations.
double least_seconds(const Problem& problem, const Request& request, const Ceilings& ceilings);

}  // namespace atc::conv
