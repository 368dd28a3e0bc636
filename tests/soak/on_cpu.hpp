// The soak (the long run of many threads) on the CPU.
#pragma once

#include "options.hpp"
#include "report.hpp"

namespace soak {

// Runs the soak on the CPU, and prints the summary. If a check fails, ends the process.
void soak_on_cpu(const Options& options, Report& report);

}  // namespace soak
