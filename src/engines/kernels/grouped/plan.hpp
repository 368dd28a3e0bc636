// The kernel to launch for a problem in a configuration, and its arguments.
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
  // `geometry` is set for forward and backward-data, `gradient` for gradients of filters.
  StreamGeometry geometry;
  GradientStream gradient;
  unsigned blocks = 0, shared_bytes = 0;
  // Gradient: bytes of the partials, and the kernel of the engine `implicit` that adds them.
  std::uint64_t workspace = 0;
  std::string sum_kernel;
  FilterView filters;
  unsigned sum_blocks = 0;
};

// Returns why these kernels cannot compute the problem; "" if they can.
std::string objection(const Problem& problem, const Limits& limits);

// Returns the number of m16 tiles of pixels that a warp multiplies at once if its unit has `eights`
// n8 tiles of channels.
int sixteens_of(int eights);

// The number of m16 tiles of filter elements of a warp that sums a gradient.
constexpr int kGradientSixteens = 5;

// Returns the configurations, the best first. The problem must have no objection.
std::vector<Configuration> configurations(const Problem& problem, const Limits& limits,
                                          const kernels::Capacity& device);

// Returns the plan of a configuration. It has no kernel if the configuration is not valid for the
// problem.
Plan find_plan(const Problem& problem, const Limits& limits, const Configuration& configuration,
               const kernels::Capacity& device);

}  // namespace atc::grouped
