// Finds and measures the ceilings of a device for a problem: the highest rate of moving bytes and
// the highest rate of arithmetic.
#pragma once

#include "conv/options.hpp"
#include "conv/race/work.hpp"
#include "core/problem.hpp"

namespace atc::conv {

// Returns the ceilings (highest rates of the device) for the problem, as far as they are known. No
// engine is asked for offers, and nothing is measured.
Roof ceilings_for(const Problem& problem, DeviceId device, const PlanOptions& options);

// Measures those ceilings for the problem that are not known yet, and stores them. The rate of
// moving bytes is measured by copies of 512 MiB on CUDA and of 256 MiB on the CPU. The rate of
// arithmetic is measured by a race of at most 3 s for a product of matrices. If only the reference
// computes such products, the rate of arithmetic remains unknown. Waits until no other race of this
// process runs. Throws Error(out_of_memory), Error(device) and Error(library). Throws Error(busy)
// in a callback.
void measure_ceilings(const Problem& problem, DeviceId device, const PlanOptions& options);

}  // namespace atc::conv
