// Which kernel computes a depthwise problem, and how its work is laid out. This is arithmetic
// without a device.
#pragma once

#include <string>
#include <vector>

#include "core/problem.hpp"
#include "device/cuda/kernel.hpp"
#include "engines/engine.hpp"
#include "engines/kernels/depthwise/arguments.hpp"

namespace atc::depthwise {

enum class Family { direct, last, last_by_rows, last_ahead, first, first_by_rows, first_ahead };

struct Plan {
  Family family = Family::direct;
  std::string configuration;  // "ahead_v4_w2_h14": the family and its tile
  std::string kernel;
  cuda::LaunchShape launch;
  DirectShape direct{};  // the shape for Family::direct; other families use the planes and their
                         // tiling instead
  PlaneShape planes{};
  LastTiling last{};
  FirstTiling first{};
  RowTiling rows{};
  int filter_rows = 0;  // of the families by rows
};

// Returns why no kernel here can compute the problem (forward or backward-data); "" if one can.
std::string objection(const Problem& problem);

// Returns the plans, the best first by the families' own estimates. The problem must have no
// objection. The last plan is "direct", which works for any geometry.
std::vector<Plan> plans(const Problem& problem, const Limits& limits, int multiprocessors);

}  // namespace atc::depthwise
