// The shortest possible time of a problem by the roofline model, from the highest rates of the
// device.
#pragma once

#include "conv/options.hpp"
#include "conv/race/ceilings.hpp"
#include "core/problem.hpp"

namespace atc::conv {

// Returns a lower bound of the seconds that any candidate needs for a call; 0: there is none. The
// rate of arithmetic is used only if the kernel has one element. For larger kernels Winograd's
// method needs fewer operations, so the bound would not hold.
double least_seconds(const Problem& problem, const Request& request, const Ceilings& ceilings);

}  // namespace atc::conv
