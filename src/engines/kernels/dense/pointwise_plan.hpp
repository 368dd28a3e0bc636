// How a pointwise convolution is cut into tiles (pointwise_geometry.hpp).
#pragma once

#include <string>
#include <vector>

#include "core/problem.hpp"
#include "engines/engine.hpp"
#include "engines/kernels/dense/costs.hpp"
#include "engines/kernels/launch_plan.hpp"

namespace atc::dense {

struct PointwiseConfiguration {
  int pixels = 0, channels = 0;  // of a block's tile: pixels, and channels of the output
};

// to_string returns a text such as "pointwise_256x128". parse_pointwise_configuration throws
// Error(unsupported) for any other text.
std::string to_string(const PointwiseConfiguration& configuration);
PointwiseConfiguration parse_pointwise_configuration(const std::string& text);

// Returns the configurations that may be fast, the best first. The problem must have no objection.
std::vector<PointwiseConfiguration> pointwise_configurations(const Problem& problem,
                                                             const Limits& limits,
                                                             int multiprocessors);

// Returns the launches of a configuration. There are none if the configuration is not valid for the
// problem. The problem must have no objection.
kernels::LaunchPlan pointwise_launch_plan(const Problem& problem, const Limits& limits,
                                          const PointwiseConfiguration& configuration,
                                          int multiprocessors);

// Returns the estimated cycles of a configuration that is valid for the problem.
double pointwise_cost(const Problem& problem, const PointwiseConfiguration& configuration,
                      int multiprocessors, const PointwiseCosts& costs = {});

}  // namespace atc::dense
