// A plan made ready to execute.
#pragma once

#include <memory>

#include "engines/engine.hpp"
#include "engines/kernels/first/plan.hpp"

namespace atc::first {

// Throws Error(unsupported) if the device has no room for the plan's kernel.
std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits, Plan plan);

}  // namespace atc::first
