// What a problem and a configuration come to: the kernels to launch and their arguments.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/problem.hpp"
#include "engines/engine.hpp"
#include "engines/kernels/implicit/configuration.hpp"
#include "engines/kernels/implicit/geometry.hpp"
#include "engines/kernels/implicit/raster.hpp"

namespace atc::implicit {

struct Plan {
  std::string kernel;
  GradientGeometry geometry;  // of forward and backward-data, its `g` alone
  // In place of it for products of warpgroups: of a gradient all, else its `s` alone.
  RasterGradient raster;
  FilterView filters;
  unsigned blocks = 0, shared_bytes = 0;
  // Forward and backward-data: bytes of the filters as rows of chunks, 0 where those are the
  // problem's own. Gradient: of the parts of all splits.
  std::uint64_t workspace = 0;
  // The kernel that packs filters, or that sums parts; "" where there is none.
  std::string filter_kernel;
  unsigned filter_blocks = 0, filter_blocks_y = 1;
};

constexpr int kGradientSixteens = 5, kMostGradientTile = 256;  // pixels
// Of pixels for a warp whose unit has so many eights of channels.
int sixteens_of(int eights);
// Blocks that share the rows of a gradient's filters.
int gradient_row_blocks(const Geometry& g, int chunk_width, int block_groups, int units);

// Best first; for a device with so many multiprocessors, and with products of warpgroups or
// without. The problem is one that the kernels serve.
std::vector<Configuration> configurations(const Problem& problem, const Limits& limits,
                                          int multiprocessors, bool warpgroups);
// Those of the products of warpgroups.
std::vector<Configuration> raster_configurations(const Problem& problem, const Limits& limits,
                                                 int multiprocessors);

// Without a kernel where the configuration is none of the problem's.
Plan find_raster_plan(const Problem& p, const Limits& limits, const Configuration& c);
Plan find_plan(const Problem& p, const Limits& limits, const Configuration& c);

}  // namespace atc::implicit
