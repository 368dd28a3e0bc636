// Backward-weight of pointwise convolutions: functions that list the configurations of a problem,
// and that plan the launches of a configuration. A configuration says how dw is cut into tiles, and
// how the sum over pixels is cut into splits.
#pragma once

#include <string>
#include <vector>

#include "core/problem.hpp"
#include "engines/engine.hpp"
#include "engines/kernels/dense/costs.hpp"
#include "engines/kernels/launch_plan.hpp"

namespace atc::dense {

struct PointwiseWeightConfiguration {
  int rows = 0, columns = 0;  // the size of a block's tile: rows of A x rows of B
  int blocks = 0;             // the number of blocks of a cluster
  // If true, operand A is x and operand B is dy. If false, A is dy and B is x.
  bool x_is_rows = false;
  // The number of parts into which the sum over pixels is cut (split-K).
  int splits = 0;
};

// to_string returns a text such as "pointwise_bw_256x128_c2_x_s16".
// parse_pointwise_weight_configuration is the inverse. It throws Error(unsupported) if `text` is
// not the text of a configuration.
std::string to_string(const PointwiseWeightConfiguration& configuration);
PointwiseWeightConfiguration parse_pointwise_weight_configuration(const std::string& text);

// Returns the configurations that are worth timing, the one with the shortest estimated time first.
// The caller must have checked that pointwise_weight_objection returns "" for the problem.
std::vector<PointwiseWeightConfiguration> pointwise_weight_configurations(const Problem& problem,
                                                                          const Limits& limits,
                                                                          int multiprocessors);

// Returns the launch plan of a configuration. If the configuration is not valid for the problem,
// the plan has no launches. The caller must have checked that pointwise_weight_objection returns ""
// for the problem.
kernels::LaunchPlan pointwise_weight_launch_plan(const Problem& problem, const Limits& limits,
                                                 const PointwiseWeightConfiguration& configuration);

// Returns the estimated time of a configuration, in cycles. The configuration must be valid for the
// problem.
double pointwise_weight_cost(const Problem& problem,
                             const PointwiseWeightConfiguration& configuration, int multiprocessors,
                             const PointwiseWeightCosts& costs = {});

}  // namespace atc::dense
