// Which kernels compute a gradient of depthwise weights, and how they share the work.
//
// A configuration is "any_bw_s4" or "last_bw_r3x3_u1_w4_c2_v32_b28_s64": the tile, that is rows and
// columns of the filter, stride, columns of a strip (of a line: outputs of a thread) and channels
// of a thread; then vectors of channels (v) or threads (t) of a block, rows of a band, splits.
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

// Why no kernel serves the problem; "" where one does.
std::string weight_objection(const Problem& problem);

// The configurations that may be fast, best first, for operands aligned to `alignment` bytes, with
// no more than `workspace` bytes of partial sums. The problem must have no objection.
std::vector<std::string> weight_configurations(const Problem& problem, std::size_t alignment,
                                               std::uint64_t workspace, int multiprocessors);

// For a problem without an objection. The plan has no kernel if the configuration is not valid for
// the problem.
WeightPlan find_weight_plan(const Problem& problem, std::size_t alignment,
                            const std::string& configuration);

}  // namespace atc::depthwise
