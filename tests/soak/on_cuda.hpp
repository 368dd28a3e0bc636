// The soak (the long run of many threads) on the first CUDA device.
#pragma once

#include "options.hpp"
#include "report.hpp"

namespace soak {

// Runs the soak on CUDA, and prints the summary. Ends the process if a check fails, if there is no
// device, or if this build has no CUDA.
void soak_on_cuda(const Options& options, Report& report);

}  // namespace soak
