// Which kernels compute a gradient of depthwise weights, and how they share the work.
//
// The text of a configuration is, for example, "any_bw_s4" or "last_bw_r3x3_u1_w4_c2_v32_b28_s64".
// It names the tile: rows and columns of the filter, stride, columns of a strip (for a line:
// outputs of a thread) and channels of a thread. Then follow the vectors of channels (v) or threads
// (t) of a block, the rows of a band and the splits.
#pragma once

#include <string>
#include <vector>

#include "core/problem.hpp"
#include "device/cuda/kernel.hpp"
#include "engines/kernels/depthwise/backward_weight_geometry.hpp"

namespace atc::depthwise {

struct WeightPlan {
  enum class Image { any, first, last, ahead } image = Image::any;
  std::string kernel;  // its name in the image
  cuda::LaunchShape main, finish;
  WeightProblem problem;
  WeightTasks tasks;  // not for Image::any
  WeightPartials partials;
  std::uint64_t workspace = 0;  // bytes of all partial sums
};

// Returns why no kernel can compute the problem; "" if one can.
std::string weight_objection(const Problem& problem);

// Returns the configurations that may be fast, the best first, for operands aligned to `alignment`
// bytes, with at most `workspace` bytes of partial sums. The problem must have no objection.
std::vector<std::string> weight_configurations(const Problem& problem, std::size_t alignment,
                                               std::uint64_t workspace, int multiprocessors);

// Returns the plan of a configuration. It has no kernel if the configuration is not valid for the
// problem. The problem must have no objection.
WeightPlan find_weight_plan(const Problem& problem, std::size_t alignment,
                            const std::string& configuration);

}  // namespace atc::depthwise
