// The soak on the CPU.
#pragma once

#include "options.hpp"
#include "report.hpp"

namespace soak {

// Ends the process where something is wrong; prints the summary.
void soak_on_cpu(const Options& options, Report& report);

}  // namespace soak
