// Makes a launch plan (a list of kernel launches) executable.
#pragma once

#include <memory>

#include "engines/engine.hpp"
#include "engines/kernels/launch_plan.hpp"

namespace atc::kernels {

// Returns an object whose execute() launches the kernels of `plan`. Throws Error(unsupported) if an
// image (compiled device code) has no code for the device, or if a kernel needs more shared memory
// than the device has.
std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits, LaunchPlan plan);

}  // namespace atc::kernels
