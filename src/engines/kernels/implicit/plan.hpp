// The plan of a problem in a configuration: the kernels to launch and their arguments.
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
  // The arguments of the kernels with mma.sync. Forward and backward-data only use its member `g`.
  GradientGeometry geometry;
  // The arguments of the kernels with wgmma. Forward and backward-data only use its member `s`.
  RasterGradient raster;
  FilterView filters;
  unsigned blocks = 0, shared_bytes = 0;
  // Forward and backward-data: the number of bytes of the packed filters; 0 if the kernel reads the
  // filters of the caller. Backward-weight: the number of bytes of the partials of all splits.
  std::uint64_t workspace = 0;
  // The name of the kernel of filters.cu that packs the filters before `kernel` or, in
  // backward-weight, adds the partials after `kernel`. It is "" if neither is needed.
  std::string filter_kernel;
  unsigned filter_blocks = 0, filter_blocks_y = 1;
};

// Constants of backward-weight. kGradientSixteens: the number of m16 tiles that a warp computes (an
// m16 tile is the 16 rows of one mma). kMostGradientTile: the largest number of pixels that a tile
// may have.
constexpr int kGradientSixteens = 5, kMostGradientTile = 256;
// Returns the number of m16 tiles of pixels that a warp computes. `eights` is the number of n8
// tiles of output channels that the warp computes.
int sixteens_of(int eights);
// For backward-weight: returns the number of blocks that share the elements of a group's filters
// (M). It is more than 1 if one block has too few warps for all of them.
int gradient_row_blocks(const Geometry& g, int chunk_width, int block_groups, int units);

// Returns the configurations that are worth timing, the one with the lowest estimate first.
// Configurations of the wgmma kernels are included only if `warpgroups` is true. The caller must
// have checked that `objection` (shape.hpp) returns "" for the problem.
std::vector<Configuration> configurations(const Problem& problem, const Limits& limits,
                                          int multiprocessors, bool warpgroups);
// Returns only the configurations of the wgmma kernels, the one with the shortest estimated time
// first. Returns an empty list if these kernels cannot compute the problem.
std::vector<Configuration> raster_configurations(const Problem& problem, const Limits& limits,
                                                 int multiprocessors);

// Return the estimated time of a plan of a wgmma kernel, in cycles: raster_cost for forward and
// backward-data, raster_gradient_cost for backward-weight.
double raster_cost(const Plan& plan, const Configuration& configuration, int multiprocessors,
                   const RasterCosts& costs = {});
double raster_gradient_cost(const Plan& plan, const Configuration& configuration,
                            int multiprocessors, const RasterGradientCosts& costs = {});

// find_plan returns the plan of a configuration of any kernel, and find_raster_plan of a
// configuration of a wgmma kernel. If the configuration is not valid for the problem, the plan's
// `kernel` is empty.
Plan find_raster_plan(const Problem& p, const Limits& limits, const Configuration& c);
Plan find_plan(const Problem& p, const Limits& limits, const Configuration& c);

}  // namespace atc::implicit
