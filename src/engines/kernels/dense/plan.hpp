// The plan of a problem in a configuration: the kernels to launch and their arguments.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/problem.hpp"
#include "engines/engine.hpp"
#include "engines/kernels/dense/configuration.hpp"
#include "engines/kernels/dense/costs.hpp"
#include "engines/kernels/dense/geometry.hpp"

namespace atc::dense {

struct Plan {
  std::string kernel;
  Geometry geometry;
  FilterView filters;
  unsigned blocks = 0, threads = 0, shared_bytes = 0;
  // The name of the kernel that adds the partials of tiles whose sums are split (split-K); "" if no
  // tile is split.
  std::string sum_kernel;
  unsigned sum_blocks = 0, sum_threads = 0, sum_shared_bytes = 0;
  unsigned pack_blocks_x = 0, pack_blocks_y = 0, pack_shared_bytes = 0;
  // The number of bytes of the packed filters. They are at the beginning of the workspace.
  std::uint64_t filter_bytes = 0;
  std::uint64_t workspace = 0;
};

// Returns the configurations that are worth timing, the one with the shortest estimated time first,
// for a device with `multiprocessors` multiprocessors. The caller must have checked that
// `objection` (shape.hpp) returns "" for the problem.
std::vector<Configuration> configurations(const Problem& problem, const Limits& limits,
                                          int multiprocessors);

// Returns the plan of a configuration. If the configuration is not valid for the problem, the
// plan's `kernel` is empty.
Plan find_plan(const Problem& problem, const Limits& limits, const Configuration& configuration,
               int multiprocessors);

// Returns the estimated time of a plan, in cycles. The plan's `kernel` must not be empty.
double cost(const Plan& plan, const Configuration& configuration, int multiprocessors,
            const Costs& costs = {});

}  // namespace atc::dense
