// A plan with its kernel found, ready to be launched.
#pragma once

#include <memory>

#include "engines/engine.hpp"
#include "engines/kernels/depthwise/plan.hpp"

namespace atc::depthwise {

std::unique_ptr<Prepared> prepare_plan(const Problem& problem, const Limits& limits, Plan plan);

}  // namespace atc::depthwise
