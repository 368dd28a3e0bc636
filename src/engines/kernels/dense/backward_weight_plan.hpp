// How a gradient of dense filters is cut into lines, tiles and splits.
//
// A configuration is "wgmma_bw_u14_g2_d3_s33": units of sixteen bytes of outputs in a segment of a
// line, segments, lines of inputs in shared memory, splits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/problem.hpp"
#include "device/cuda/kernel.hpp"
#include "engines/engine.hpp"
#include "engines/kernels/dense/backward_weight_geometry.hpp"

namespace atc::dense {

struct WeightPlan {
  std::string kernel, sum_kernel;
  cuda::LaunchShape main, sum;
  WeightGeometry geometry;
  WeightOutput output;
  std::uint64_t workspace = 0;  // bytes of all parts
};

// Why no kernel serves the problem; "" where one does.
std::string weight_objection(const Problem& problem, const Limits& limits);

// The configurations that may be fast, best first, for a problem without an objection.
std::vector<std::string> weight_configurations(const Problem& problem, const Limits& limits,
                                               int multiprocessors);

// Throws Error(unsupported) for a configuration that the problem does not have.
WeightPlan plan_weight(const Problem& problem, const Limits& limits,
                       const std::string& configuration);

}  // namespace atc::dense
