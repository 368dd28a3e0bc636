// Makes a launch plan executable.
#pragma once

#include <memory>

#include "engines/engine.hpp"
#include "engines/kernels/launch_plan.hpp"

namespace atc::kernels {

// Returns a Prepared that launches the kernels of `plan`. Throws Error(unsupported) if an image
// (compiled device code) has no code for the device, or if a kernel needs more shared memory than
// the device has.
std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits, LaunchPlan plan);

}  // namespace atc::kernels
