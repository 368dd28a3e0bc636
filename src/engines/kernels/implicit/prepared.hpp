// A plan made ready to execute.
#pragma once

#include <memory>

#include "engines/engine.hpp"
#include "engines/kernels/implicit/plan.hpp"

namespace atc::implicit {

// Throws Error(unsupported) if the device has no room for the plan's kernels.
std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits, Plan plan);

}  // namespace atc::implicit
