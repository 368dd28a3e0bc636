// How a gradient of dense filters is cut into lines, tiles and splits.
#pragma once

#include <string>
#include <vector>

#include "core/problem.hpp"
#include "engines/engine.hpp"
#include "engines/kernels/launch_plan.hpp"

namespace atc::dense {

struct WeightConfiguration {
  int units = 0;     // of sixteen bytes of outputs, in a segment of a line
  int segments = 0;  // of a line
  int depth = 0;     // lines of inputs in shared memory
  int splits = 0;
};

// "wgmma_bw_u14_g2_d3_s33"; the inverse throws Error(unsupported) for anything else.
std::string to_string(const WeightConfiguration& configuration);
WeightConfiguration parse_weight_configuration(const std::string& text);

// Why no kernel serves the problem; "" where one does.
std::string weight_objection(const Problem& problem, const Limits& limits);

// The configurations that may be fast, best first, for a problem without an objection.
std::vector<WeightConfiguration> weight_configurations(const Problem& problem, const Limits& limits,
                                                       int multiprocessors);

// For a problem without an objection. Without launches if the configuration is not valid for the
// problem.
kernels::LaunchPlan weight_launch_plan(const Problem& problem, const Limits& limits,
                                       const WeightConfiguration& configuration);

}  // namespace atc::dense
