// The plans of each family of kernels; each function adds what its family has for a problem, best
// first by its own judgement, and nothing where it has none.
#pragma once

#include <vector>

#include "engines/engine.hpp"
#include "engines/kernels/depthwise/geometry.hpp"
#include "engines/kernels/depthwise/plan.hpp"

namespace atc::depthwise {

// Channels last.
void add_ahead_plans(const Geometry& g, const Limits& limits, int multiprocessors,
                     std::vector<Plan>& plans);
void add_last_plans(const Geometry& whole, const Limits& limits, std::vector<Plan>& plans);

// Channels first.
void add_row_plans(const Geometry& g, const Limits& limits, int multiprocessors,
                   std::vector<Plan>& plans);
void add_first_plans(const Geometry& g, const Limits& limits, int multiprocessors,
                     std::vector<Plan>& plans);

// Either.
Plan direct_plan(const Geometry& g);

}  // namespace atc::depthwise
