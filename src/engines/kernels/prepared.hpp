// A plan of launches that is ready to execute.
#pragma once

#include <memory>

#include "engines/engine.hpp"
#include "engines/kernels/launch_plan.hpp"

namespace atc::kernels {

// Throws Error(unsupported) if the device has no code for one of the kernels, or too little shared
// memory for it.
std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits, LaunchPlan plan);

}  // namespace atc::kernels
