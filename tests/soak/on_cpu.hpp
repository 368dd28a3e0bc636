// The soak on the CPU.
#pragma once

#include "options.hpp"
#include "report.hpp"

namespace soak {

// Runs the soak on the CPU, and prints the summary. If something is wrong, ends the process.
void soak_on_cpu(const Options& options, Report& report);

}  // namespace soak
