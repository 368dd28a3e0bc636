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
  // A text such as "ahead_v4_w2_h14": the family of the kernel, and the sizes of the tile.
  std::string configuration;
  std::string kernel;
  cuda::LaunchShape launch;
  // The arguments of the kernel if `family` is Family::direct. For the other families, the
  // arguments are `planes` and one of `last`, `first` and `rows`.
  DirectShape direct{};
  PlaneShape planes{};
  LastTiling last{};
  FirstTiling first{};
  RowTiling rows{};
  // The number of rows of the filter. Used only for families whose names end in by_rows.
  int filter_rows = 0;
};

// Returns why the depthwise kernels cannot compute the problem (forward or backward-data), as a
// text for people; "" if they can.
std::string objection(const Problem& problem);

// Returns the plans for a problem, the plan with the shortest estimated time first. The last plan
// is the plan of the direct kernel, which is valid for any geometry. The caller must have checked
// that `objection` returns "" for the problem.
std::vector<Plan> plans(const Problem& problem, const Limits& limits, int multiprocessors);

}  // namespace atc::depthwise
