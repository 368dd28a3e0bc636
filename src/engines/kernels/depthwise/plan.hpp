// Plans of forward and backward-data: the kernel for a problem, and how its blocks share the work.
// These functions run on the host and need no GPU.
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
  std::string configuration;  // such as "ahead_v4_w2_h14": the family of the kernel, and the tile
  std::string kernel;
  cuda::LaunchShape launch;
  DirectShape direct{};  // only for Family::direct; the other families use `planes` and one of the
                         // tilings below
  PlaneShape planes{};
  LastTiling last{};
  FirstTiling first{};
  RowTiling rows{};
  int filter_rows = 0;  // rows of the filter; only for the families whose names end in by_rows
};

// Returns why the depthwise kernels cannot compute the problem (forward or backward-data), as a
// text for people; "" if they can.
std::string objection(const Problem& problem);

// Returns the plans for a problem, the best estimate first. The last plan is "direct", which is
// valid for any geometry. The caller must have checked that `objection` returns "" for the problem.
std::vector<Plan> plans(const Problem& problem, const Limits& limits, int multiprocessors);

}  // namespace atc::depthwise
