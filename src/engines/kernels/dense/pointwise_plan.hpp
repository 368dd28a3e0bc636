// Forward and backward-data of pointwise convolutions: functions that list the configurations of a
// problem, and that plan the launches of a configuration. A configuration says how many pixels and
// output channels a tile has.
#pragma once

#include <string>
#include <vector>

#include "core/problem.hpp"
#include "engines/engine.hpp"
#include "engines/kernels/dense/costs.hpp"
#include "engines/kernels/launch_plan.hpp"

namespace atc::dense {

struct PointwiseConfiguration {
  int pixels = 0, channels = 0;  // the size of a block's tile: pixels x output channels
};

// to_string returns a text such as "pointwise_256x128". parse_pointwise_configuration is the
// inverse. It throws Error(unsupported) if `text` is not the text of a configuration.
std::string to_string(const PointwiseConfiguration& configuration);
PointwiseConfiguration parse_pointwise_configuration(const std::string& text);

// Returns the configurations that are worth timing, the one with the shortest estimated time first.
// The caller must have checked that pointwise_objection returns "" for the problem.
std::vector<PointwiseConfiguration> pointwise_configurations(const Problem& problem,
                                                             const Limits& limits,
                                                             int multiprocessors);

// Returns the launch plan of a configuration. If the configuration is not valid for the problem,
// the plan has no launches. The caller must have checked that pointwise_objection returns "" for
// the problem.
kernels::LaunchPlan pointwise_launch_plan(const Problem& problem, const Limits& limits,
                                          const PointwiseConfiguration& configuration,
                                          int multiprocessors);

// Returns the estimated time of a configuration, in cycles. The configuration must be valid for the
// problem.
double pointwise_cost(const Problem& problem, const PointwiseConfiguration& configuration,
                      int multiprocessors, const PointwiseCosts& costs = {});

}  // namespace atc::dense
