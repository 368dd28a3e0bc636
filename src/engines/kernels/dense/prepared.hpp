// A plan made ready to execute.
#pragma once

#include <memory>

#include "engines/engine.hpp"
#include "engines/kernels/dense/plan.hpp"

namespace atc::dense {

// Throws Error(unsupported) if the device has no room for the plan's kernels.
std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits, Plan plan);

}  // namespace atc::dense
