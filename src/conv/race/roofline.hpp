// The least time of a problem by the roofline model, if the rates of the device are known.
#pragma once

#include "conv/options.hpp"
#include "conv/race/ceilings.hpp"
#include "core/problem.hpp"

namespace atc::conv {

// No candidate is expected to take fewer seconds per call than this; 0: not known. The rate of
// arithmetic is used only if the kernel has one element, because Winograd's method needs fewer
// operations for other kernels.
double least_seconds(const Problem& problem, const Request& request, const Ceilings& ceilings);

}  // namespace atc::conv
