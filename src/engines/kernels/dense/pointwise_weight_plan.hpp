// How a gradient of pointwise filters is cut into tiles and splits (pointwise_weight_geometry.hpp).
#pragma once

#include <string>
#include <vector>

#include "core/problem.hpp"
#include "engines/engine.hpp"
#include "engines/kernels/dense/costs.hpp"
#include "engines/kernels/launch_plan.hpp"

namespace atc::dense {

struct PointwiseWeightConfiguration {
  int rows = 0, columns = 0;  // of a block's tile
  int blocks = 0;             // of a cluster
  bool x_is_rows = false;     // rows are channels of x and columns filters; otherwise inversely
  int splits = 0;
};

// to_string returns a text such as "pointwise_bw_256x128_c2_x_s16".
// parse_pointwise_weight_configuration throws Error(unsupported) for any other text.
std::string to_string(const PointwiseWeightConfiguration& configuration);
PointwiseWeightConfiguration parse_pointwise_weight_configuration(const std::string& text);

// Returns the configurations that may be fast, the best first. The problem must have no objection.
std::vector<PointwiseWeightConfiguration> pointwise_weight_configurations(const Problem& problem,
                                                                          const Limits& limits,
                                                                          int multiprocessors);

// Returns the launches of a configuration. There are none if the configuration is not valid for the
// problem. The problem must have no objection.
kernels::LaunchPlan pointwise_weight_launch_plan(const Problem& problem, const Limits& limits,
                                                 const PointwiseWeightConfiguration& configuration);

// Returns the estimated cycles of a configuration that is valid for the problem.
double pointwise_weight_cost(const Problem& problem,
                             const PointwiseWeightConfiguration& configuration, int multiprocessors,
                             const PointwiseWeightCosts& costs = {});

}  // namespace atc::dense
