// Backward-weight of dense convolutions: functions that list the configurations of a problem, and
// that plan the launches of a configuration. A configuration says how the images are cut into
// lines, and the sum over lines into splits (backward_weight_geometry.hpp explains these words).
#pragma once

#include <string>
#include <vector>

#include "core/problem.hpp"
#include "engines/engine.hpp"
#include "engines/kernels/dense/costs.hpp"
#include "engines/kernels/launch_plan.hpp"

namespace atc::dense {

struct WeightConfiguration {
  int units = 0;     // the number of 16-byte units of outputs in a segment
  int segments = 0;  // the number of segments (images side by side) of a line
  int depth = 0;     // the number of lines of inputs that shared memory holds
  // The number of parts into which the sum over all lines is cut (split-K).
  int splits = 0;
};

// to_string returns a text such as "wgmma_bw_u14_g2_d3_s33". parse_weight_configuration is the
// inverse. It throws Error(unsupported) if `text` is not the text of a configuration.
std::string to_string(const WeightConfiguration& configuration);
WeightConfiguration parse_weight_configuration(const std::string& text);

// Returns why the kernels of backward_weight.cu cannot compute the problem, as a text for people;
// "" if they can.
std::string weight_objection(const Problem& problem, const Limits& limits);

// Returns the configurations that are worth timing, the one with the shortest estimated time first.
// The caller must have checked that weight_objection returns "" for the problem.
std::vector<WeightConfiguration> weight_configurations(const Problem& problem, const Limits& limits,
                                                       int multiprocessors);

// Returns the launch plan of a configuration. If the configuration is not valid for the problem,
// the plan has no launches. The caller must have checked that weight_objection returns "" for the
// problem.
kernels::LaunchPlan weight_launch_plan(const Problem& problem, const Limits& limits,
                                       const WeightConfiguration& configuration);

// Returns the estimated time of a configuration, in cycles. The configuration must be valid for the
// problem.
double weight_cost(const Problem& problem, const Limits& limits,
                   const WeightConfiguration& configuration, int multiprocessors,
                   const WeightCosts& costs = {});

}  // namespace atc::dense
