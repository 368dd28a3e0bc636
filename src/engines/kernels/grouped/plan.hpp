// The plan of a problem in a configuration: the kernel to launch and its arguments.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/problem.hpp"
#include "engines/engine.hpp"
#include "engines/kernels/capacity.hpp"
#include "engines/kernels/grouped/configuration.hpp"
#include "engines/kernels/grouped/geometry.hpp"

namespace atc::grouped {

struct Plan {
  std::string kernel;
  // The arguments of the kernel: `geometry` for forward and backward-data, `gradient` for
  // backward-weight.
  StreamGeometry geometry;
  GradientStream gradient;
  unsigned blocks = 0, shared_bytes = 0;
  // Only for backward-weight: the number of bytes of the partials, and the name of the kernel that
  // adds the partials. That kernel belongs to the engine `implicit`.
  std::uint64_t workspace = 0;
  std::string sum_kernel;
  FilterView filters;
  unsigned sum_blocks = 0;
};

// Returns why the kernels of `grouped` cannot compute the problem, as a text for people; "" if they
// can.
std::string objection(const Problem& problem, const Limits& limits);

// Returns the number of m16 tiles of pixels that a warp multiplies at once. `eights` is the number
// of n8 tiles of output channels that the warp computes.
int sixteens_of(int eights);

// The number of m16 tiles of filter elements that a warp computes in backward-weight.
constexpr int kGradientSixteens = 5;

// Returns the configurations that are worth timing, the one with the lowest estimated cost first.
// The caller must have checked that `objection` returns "" for the problem.
std::vector<Configuration> configurations(const Problem& problem, const Limits& limits,
                                          const kernels::Capacity& device);

// Returns the plan of a configuration. If the configuration is not valid for the problem, the
// plan's `kernel` is empty.
Plan find_plan(const Problem& problem, const Limits& limits, const Configuration& configuration,
               const kernels::Capacity& device);

}  // namespace atc::grouped
