// The plans of each family of kernels. Each function adds its family's plans for a problem, the
// best first by its own estimate.
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

// Either layout.
Plan direct_plan(const Geometry& g);

}  // namespace atc::depthwise
