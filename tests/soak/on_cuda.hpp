// The soak on the first CUDA device.
#pragma once

#include "options.hpp"
#include "report.hpp"

namespace soak {

// Runs the soak on CUDA, and prints the summary. If something is wrong, there is no device, or this
// build has no CUDA, ends the process.
void soak_on_cuda(const Options& options, Report& report);

}  // namespace soak
