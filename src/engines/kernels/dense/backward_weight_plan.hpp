// Backward-weight of dense convolutions: functions that list the configurations of a problem, and
// that plan the launches of a configuration. A configuration says how the images are cut into lines
// (rows of a strip of columns), and how the sum over all lines is cut into splits.
#pragma once

#include <string>
#include <vector>

#include "core/problem.hpp"
#include "engines/engine.hpp"
#include "engines/kernels/dense/costs.hpp"
#include "engines/kernels/launch_plan.hpp"

namespace atc::dense {

struct WeightConfiguration {
  // The number of units (16 bytes of outputs) that a line has of one image.
  int units = 0;
  // The number of images whose rows form one line.
  int segments = 0;
  // The number of lines for which shared memory has the inputs.
  int depth = 0;
  // The number of parts into which the sum over all lines (rows of outputs) is cut (split-K).
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
