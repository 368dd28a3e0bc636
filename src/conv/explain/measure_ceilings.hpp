// Finds and measures the ceilings of a device for a problem: the highest rates of moving bytes and
// of arithmetic.
#pragma once

#include "conv/options.hpp"
#include "conv/race/work.hpp"
#include "core/problem.hpp"

namespace atc::conv {

// The known ceilings for an explanation of the problem. No engine is asked.
Roof ceilings_for(const Problem& problem, DeviceId device, const PlanOptions& options);

// Measures the ceilings that an explanation of the problem needs and that are not known, and keeps
// them. The rate of moving bytes is measured by a copy of 512 MiB on CUDA, of 256 MiB on the CPU.
// The rate of arithmetic is measured by a race of at most 3 s for a product of matrices. If only
// the reference computes such products, their rate remains unknown. Waits for other races. Throws
// Error(out_of_memory), Error(device), Error(library), and Error(busy) in a callback.
void measure_ceilings(const Problem& problem, DeviceId device, const PlanOptions& options);

}  // namespace atc::conv
