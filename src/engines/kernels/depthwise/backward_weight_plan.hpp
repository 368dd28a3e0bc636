// Plans of depthwise backward-weight: the kernels for a problem, and how blocks share the work.
//
// The text of a configuration is, for example, "any_bw_s4" or "last_bw_r3x3_u1_w4_c2_v32_b28_s64".
// It begins with the kind of the kernel. The numbers are:
//   r  rows and columns of a tile of the filter
//   u  stride
//   w  columns of a strip. For kernels named `line` (one spatial dimension, channels first):
//      outputs of a thread
//   c  channels of a thread
//   v  channels last: vectors of channels of a block
//   t  channels first: threads of a block
//   b  rows of a band
//   s  splits: parts of the sum
#pragma once

#include <string>
#include <vector>

#include "core/problem.hpp"
#include "device/cuda/kernel.hpp"
#include "engines/kernels/depthwise/backward_weight_geometry.hpp"

namespace atc::depthwise {

struct WeightPlan {
  enum class Image { any, first, last, ahead } image = Image::any;
  // The name of the kernel within the fatbin `image`.
  std::string kernel;
  cuda::LaunchShape main, finish;
  WeightProblem problem;
  // Not used if `image` is Image::any (the kernel without tiles).
  WeightTasks tasks;
  WeightPartials partials;
  // The bytes of workspace for the partials of all splits.
  std::uint64_t workspace = 0;
};

// Returns why the depthwise kernels of backward-weight cannot compute the problem, as a text for
// people; "" if they can.
std::string weight_objection(const Problem& problem);

// Returns the configurations that are worth timing, the one with the shortest estimated time first.
// Operands are aligned to `alignment` bytes, and the partials may have at most `workspace` bytes.
// The caller must have checked that weight_objection returns "" for the problem.
std::vector<std::string> weight_configurations(const Problem& problem, std::size_t alignment,
                                               std::uint64_t workspace, int multiprocessors);

// Returns the plan of a configuration. If the configuration is not valid for the problem, the
// plan's `kernel` is empty. The caller must have checked that weight_objection returns "" for the
// problem.
WeightPlan find_weight_plan(const Problem& problem, std::size_t alignment,
                            const std::string& configuration);

}  // namespace atc::depthwise
