// Which kernel computes a depthwise problem, and how its work is laid out: pure arithmetic.
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
  DirectShape direct{};  // for Family::direct; the others have the planes and their tiling
  PlaneShape planes{};
  LastTiling last{};
  FirstTiling first{};
  RowTiling rows{};
  int filter_rows = 0;  // of the families by rows
};

// Why no kernel here can compute the problem; "" if one can. For forward and backward-data.
std::string objection(const Problem& problem);

// Best first by the families' own estimates, for a problem without an objection. The last one is
// "direct", which works for any geometry.
std::vector<Plan> plans(const Problem& problem, const Limits& limits, int multiprocessors);

}  // namespace atc::depthwise
