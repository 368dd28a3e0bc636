// The kernels to launch for a problem in a configuration, and their arguments.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/problem.hpp"
#include "engines/engine.hpp"
#include "engines/kernels/implicit/configuration.hpp"
#include "engines/kernels/implicit/costs.hpp"
#include "engines/kernels/implicit/geometry.hpp"
#include "engines/kernels/implicit/raster.hpp"

namespace atc::implicit {

struct Plan {
  std::string kernel;
  GradientGeometry geometry;  // the geometry; forward and backward-data only use its member `g`
  // The kernels with wgmma use this in place of `geometry`. A gradient uses all of it; the other
  // directions only use `s`.
  RasterGradient raster;
  FilterView filters;
  unsigned blocks = 0, shared_bytes = 0;
  // Forward and backward-data: bytes of the filters as rows of chunks; 0 if the kernel reads the
  // problem's own filters. Gradient: bytes of the partials of all splits.
  std::uint64_t workspace = 0;
  // The kernel that packs filters, or that adds partials; "" if there is none.
  std::string filter_kernel;
  unsigned filter_blocks = 0, filter_blocks_y = 1;
};

constexpr int kGradientSixteens = 5, kMostGradientTile = 256;  // pixels
// Returns the number of m16 tiles of pixels of a warp whose unit has `eights` n8 tiles of channels.
int sixteens_of(int eights);
// Returns the number of blocks that share the rows of a gradient's filters.
int gradient_row_blocks(const Geometry& g, int chunk_width, int block_groups, int units);

// Returns the configurations, the best first. `warpgroups`: include those of wgmma. The problem
// must have no objection.
std::vector<Configuration> configurations(const Problem& problem, const Limits& limits,
                                          int multiprocessors, bool warpgroups);
// Returns the configurations of the kernels with wgmma.
std::vector<Configuration> raster_configurations(const Problem& problem, const Limits& limits,
                                                 int multiprocessors);

// Returns the estimated cycles of a plan of a kernel with wgmma.
double raster_cost(const Plan& plan, const Configuration& configuration, int multiprocessors,
                   const RasterCosts& costs = {});
double raster_gradient_cost(const Plan& plan, const Configuration& configuration,
                            int multiprocessors, const RasterGradientCosts& costs = {});

// Return the plan of a configuration. It has no kernel if the configuration is not valid for the
// problem.
Plan find_raster_plan(const Problem& p, const Limits& limits, const Configuration& c);
Plan find_plan(const Problem& p, const Limits& limits, const Configuration& c);

}  // namespace atc::implicit
