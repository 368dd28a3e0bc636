// The ceilings of a device for a problem: those that are known, and their measurement.
#pragma once

#include "conv/options.hpp"
#include "conv/race/work.hpp"
#include "core/problem.hpp"

namespace atc::conv {

// The known ceilings that an explanation of the problem has. Asks no engine.
Roof ceilings_for(const Problem& problem, DeviceId device, const PlanOptions& options);

// Measures the unknown ceilings that an explanation of the problem needs, and keeps them: with a
// copy of 512 MiB on CUDA, of 256 MiB on the CPU, and with a race for a product of matrices, of 3 s
// at most. If only the reference computes such products, their ceiling remains unknown. Waits for
// other races. Throws Error(out_of_memory), Error(device), Error(library), and Error(busy) in a
// callback.
void measure_ceilings(const Problem& problem, DeviceId device, const PlanOptions& options);

}  // namespace atc::conv
