// The kernel to launch for a problem in a configuration, and its arguments.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/problem.hpp"
#include "engines/engine.hpp"
#include "engines/kernels/capacity.hpp"
#include "engines/kernels/first/configuration.hpp"
#include "engines/kernels/first/costs.hpp"
#include "engines/kernels/first/geometry.hpp"
#include "engines/kernels/planning.hpp"

namespace atc::first {

using kernels::Capacity;

struct Plan {
  std::string kernel;
  GradientGeometry geometry;  // forward uses its `g` alone
  ScatterGeometry scatter;    // of backward-data
  StripGeometry strips;       // of backward-data in strips
  unsigned blocks = 0, shared_bytes = 0;
  // Backward-weight: the kernel that adds the partials, and their bytes.
  std::string sum_kernel;
  unsigned sum_blocks = 0;
  std::uint64_t workspace = 0;
};

// Returns why these kernels cannot compute the problem; "" if they can.
std::string objection(const Problem& p);

// Returns the configurations, the best first. The problem must have no objection.
std::vector<Configuration> configurations(const Problem& problem, const Limits& limits,
                                          const Capacity& device);

// Backward-data in strips.
Plan strips_plan(const Problem& p, const Limits& limits, const Configuration& c,
                 const Capacity& device);
// Returns the estimated cycles of a plan in strips that has a kernel.
double strips_cost(const Plan& plan, const Capacity& device, const StripCosts& costs = {});
kernels::Priced<Configuration> strip_configurations(const Problem& problem, const Limits& limits,
                                                    const Capacity& device);

// Returns how many blocks a multiprocessor has at once.
int resident(int shared_bytes);
// Returns the number of pixels of a tile.
inline int pixels_of(const Geometry& g) { return g.flat ? g.pixels : g.tile_h * g.tile_w; }

// Returns the plan of a configuration. It has no kernel if the configuration is not valid for the
// problem.
Plan find_plan(const Problem& p, const Limits& limits, const Configuration& c,
               const Capacity& device);

}  // namespace atc::first
