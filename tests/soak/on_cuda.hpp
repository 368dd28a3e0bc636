// The soak on the first CUDA device.
#pragma once

#include "options.hpp"
#include "report.hpp"

namespace soak {

// Ends the process where something is wrong, there is no device, or this build has no CUDA; prints
// the summary.
void soak_on_cuda(const Options& options, Report& report);

}  // namespace soak
