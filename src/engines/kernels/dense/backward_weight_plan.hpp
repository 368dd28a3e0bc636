// How a gradient of dense filters is cut into lines, tiles and splits
// (backward_weight_geometry.hpp).
#pragma once

#include <string>
#include <vector>

#include "core/problem.hpp"
#include "engines/engine.hpp"
#include "engines/kernels/dense/costs.hpp"
#include "engines/kernels/launch_plan.hpp"

namespace atc::dense {

struct WeightConfiguration {
  int units = 0;     // the number of 16-byte units of outputs in a segment of a line
  int segments = 0;  // of a line
  int depth = 0;     // the number of lines of inputs that shared memory holds
  int splits = 0;
};

// to_string returns a text such as "wgmma_bw_u14_g2_d3_s33". parse_weight_configuration throws
// Error(unsupported) for any other text.
std::string to_string(const WeightConfiguration& configuration);
WeightConfiguration parse_weight_configuration(const std::string& text);

// Returns why no kernel can compute the problem; "" if one can.
std::string weight_objection(const Problem& problem, const Limits& limits);

// Returns the configurations that may be fast, the best first. The problem must have no objection.
std::vector<WeightConfiguration> weight_configurations(const Problem& problem, const Limits& limits,
                                                       int multiprocessors);

// Returns the launches of a configuration. There are none if the configuration is not valid for the
// problem. The problem must have no objection.
kernels::LaunchPlan weight_launch_plan(const Problem& problem, const Limits& limits,
                                       const WeightConfiguration& configuration);

// Returns the estimated cycles of a configuration that is valid for the problem.
double weight_cost(const Problem& problem, const Limits& limits,
                   const WeightConfiguration& configuration, int multiprocessors,
                   const WeightCosts& costs = {});

}  // namespace atc::dense
