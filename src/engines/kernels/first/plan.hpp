// The plan of a problem in a configuration: the kernel to launch and its arguments.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/problem.hpp"
#include "engines/engine.hpp"
#include "engines/kernels/capacity.hpp"
#include "engines/kernels/first/configuration.hpp"
#include "engines/kernels/first/costs.hpp"
#include "engines/kernels/first/geometry.hpp"
#include "engines/kernels/planning.hpp"

namespace atc::first {

using kernels::Capacity;

struct Plan {
  std::string kernel;
  // The arguments for backward-weight. Forward uses only the member `g` of them.
  GradientGeometry geometry;
  // The arguments for backward-data by scatter.cu.
  ScatterGeometry scatter;
  StripGeometry strips;  // the arguments for backward-data by strips.cu
  unsigned blocks = 0, shared_bytes = 0;
  // Only for backward-weight: the kernel that adds the partials, the number of blocks of this
  // kernel, and the number of bytes of the partials.
  std::string sum_kernel;
  unsigned sum_blocks = 0;
  std::uint64_t workspace = 0;
};

// Returns why the kernels of `first` cannot compute the problem, as a text for people; "" if they
// can.
std::string objection(const Problem& p);

// Returns the configurations that are worth timing, the one with the shortest estimated time first.
// The caller must have checked that `objection` returns "" for the problem.
std::vector<Configuration> configurations(const Problem& problem, const Limits& limits,
                                          const Capacity& device);

// For backward-data in strips (strips.cu): returns the plan of a configuration. If the
// configuration is not valid for the problem, the plan's `kernel` is empty.
Plan strips_plan(const Problem& p, const Limits& limits, const Configuration& c,
                 const Capacity& device);
// Returns the estimated time, in cycles, of a plan that strips_plan has returned. The plan's
// `kernel` must not be empty.
double strips_cost(const Plan& plan, const Capacity& device, const StripCosts& costs = {});
// Returns the configurations of backward-data in strips with their estimated times, in no
// particular order. Returns an empty list if strips.cu cannot compute the problem.
kernels::Priced<Configuration> strip_configurations(const Problem& problem, const Limits& limits,
                                                    const Capacity& device);

// Returns how many blocks run on a multiprocessor at the same time, if each block has
// `shared_bytes` bytes of shared memory.
int resident(int shared_bytes);
// Returns the number of pixels of a tile that is not cut off by the edge of the image.
inline int pixels_of(const Geometry& g) { return g.flat ? g.pixels : g.tile_h * g.tile_w; }

// For all directions: returns the plan of a configuration. If the configuration is not valid for
// the problem, the plan's `kernel` is empty.
Plan find_plan(const Problem& p, const Limits& limits, const Configuration& c,
               const Capacity& device);

}  // namespace atc::first
