// A family is a set of similar depthwise kernels. Each function add_…_plans appends to `plans` the
// plans of its family that are valid for the problem, the plan with the shortest estimated time
// first.
#pragma once

#include <vector>

#include "engines/engine.hpp"
#include "engines/kernels/depthwise/geometry.hpp"
#include "engines/kernels/depthwise/plan.hpp"

namespace atc::depthwise {

// These functions add plans of the kernels for channels last.
void add_ahead_plans(const Geometry& g, const Limits& limits, int multiprocessors,
                     std::vector<Plan>& plans);
void add_last_plans(const Geometry& whole, const Limits& limits, std::vector<Plan>& plans);

// These functions add plans of the kernels for channels first.
void add_row_plans(const Geometry& g, const Limits& limits, int multiprocessors,
                   std::vector<Plan>& plans);
void add_first_plans(const Geometry& g, const Limits& limits, int multiprocessors,
                     std::vector<Plan>& plans);

// Returns the plan of the direct kernel. This plan is valid for both layouts and any geometry.
Plan direct_plan(const Geometry& g);

}  // namespace atc::depthwise
