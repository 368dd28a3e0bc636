#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "engines/kernels/grouped/plan.hpp"
#include "engines/kernels/implicit/shape.hpp"
#include "engines/kernels/planning.hpp"

namespace atc::grouped {

namespace {

constexpr std::size_t kMostOffers = 4;

// Returns the estimated cost of the tiles that a multiprocessor computes. The cost has no unit. It
// adds the number of elements that are moved, the mma instructions, and a constant for each tile.
//
// The constants of both costs in this file were set by hand on an NVIDIA H200 (132 multiprocessors)
// on 2026-11-22. The measured times were not kept.
double cost(const Problem& problem, const Plan& plan, int blocks, int multiprocessors) {
  const StreamGeometry& s = plan.geometry;
  const Geometry& g = s.g;
  const double items = static_cast<double>(s.images) * g.tiles_h * g.tiles_w;
  const double turns = std::max(1.0, std::ceil(items / s.workers));
  const double filled =
      std::min(1.0, static_cast<double>(plan.blocks) / (multiprocessors * blocks));
  const int pixels = g.tile_h * g.tile_w;
  const int shares = implicit::kWarps / g.block_units;
  const int phases = g.phases_h * g.phases_w;
  const double sixteens =
      implicit::ceil_div(implicit::ceil_div(pixels, 16), shares) * shares * phases;
  const int beside = g.channels_first && s.source.whole_rows == 0 ? 16 : 0;
  const double in =
      static_cast<double>(s.halo_h) * (s.halo_w + beside) * g.block_groups * g.group_in;
  const double out = static_cast<double>(pixels) * phases * g.block_groups * g.group_out;
  const double work = static_cast<double>(sixteens) * 16 * g.block_groups * g.group_out;
  // A run is elements that are contiguous in memory; `run` is their number. Runs that begin or end
  // in the middle of a memory sector raise the cost by the factor `waste`. The shorter the runs,
  // the larger the factor.
  const double run = g.channels_first ? (s.source.whole_rows ? s.halo_h : 1) * g.in.width
                                      : g.block_groups * g.group_in;
  const double waste = 1 + 64 / (run * static_cast<double>(size_of(problem.x.dtype)));
  return turns * blocks * filled * ((in + out) * waste + 0.5 * work + 4000) *
         (blocks == 1   ? 1.5
          : blocks == 2 ? 1.1
                        : 1.0);
}

// Returns the estimated cost of backward-weight: the sum of the costs of the tiles of all blocks.
// The cost has no unit.
double gradient_cost(const Plan& plan) {
  const GradientStream& s = plan.gradient;
  const Geometry& g = s.sum.g;
  const double items = static_cast<double>(s.sum.images) * g.tiles_h * g.tiles_w;
  const double turns = std::ceil(items / s.sum.splits);
  const double in = static_cast<double>(s.halo_h) * s.halo_w * g.group_in;
  const double out = static_cast<double>(implicit::round_up(g.tile_h * g.tile_w, 16)) * g.group_out;
  return turns * g.group_blocks * s.sum.splits * (g.block_groups * (in + 2 * out) + 4000);
}

// Returns the configurations of backward-weight: for each number of groups that a block may have,
// the configuration whose tile has the least cost.
std::vector<Configuration> gradients(const Problem& problem, const Limits& limits,
                                     const kernels::Capacity& device) {
  // The most bytes that the partials of all splits may have.
  constexpr std::uint64_t kMostParts = 64 << 20;
  const Geometry g = implicit::geometry_of(problem, limits);
  const implicit::Units units = implicit::units_of(g);
  std::vector<Configuration> result;
  Configuration c;
  c.eights = units.eights;
  c.sixteens = kGradientSixteens;
  int most = 1;
  while (2 * most * units.units <= implicit::kWarps && most < g.groups) most *= 2;
  for (c.groups = most; c.groups > 0 && result.size() < kMostOffers; c.groups /= 2) {
    double least = 0;
    Configuration best;
    for (int across = 1; across <= g.columns[0].outputs; ++across) {
      c.tile_w = implicit::ceil_div(g.columns[0].outputs, across);
      if (across > 1 && c.tile_w < 8) break;
      for (int down = 1; down <= g.rows[0].outputs; ++down) {
        c.tile_h = implicit::ceil_div(g.rows[0].outputs, down);
        c.splits = 1;
        const Plan one = find_plan(problem, limits, c, device);
        if (one.kernel.empty()) continue;
        const std::uint64_t room = std::min(kMostParts, limits.workspace) / one.workspace;
        const int items =
            one.gradient.sum.images * one.gradient.sum.g.tiles_h * one.gradient.sum.g.tiles_w;
        const int wanted = 2 * device.multiprocessors / one.gradient.sum.g.group_blocks;
        c.splits = std::clamp(
            std::min<int>(wanted, static_cast<int>(std::min<std::uint64_t>(room, 1 << 20))), 1,
            items);
        const Plan plan = find_plan(problem, limits, c, device);
        if (plan.kernel.empty() || plan.workspace > limits.workspace) continue;
        const double value = gradient_cost(plan);
        if (least == 0 || value < least) {
          least = value;
          best = c;
        }
      }
    }
    if (least > 0) result.push_back(best);
  }
  return result;
}

}  // namespace

std::vector<Configuration> configurations(const Problem& problem, const Limits& limits,
                                          const kernels::Capacity& device) {
  if (implicit::is_gradient(problem)) return gradients(problem, limits, device);
  const Geometry g = implicit::geometry_of(problem, limits);
  const implicit::Units units = implicit::units_of(g);
  kernels::Priced<Configuration> found;
  Configuration c;
  c.eights = units.eights;
  c.sixteens = sixteens_of(c.eights);
  for (c.groups = 1; c.groups * units.units <= implicit::kWarps && c.groups < 2 * g.groups;
       c.groups *= 2)
    for (c.blocks = c.eights <= 2 ? 3 : 2; c.blocks > 0; --c.blocks) {
      std::pair<double, Configuration> best{0.0, c};
      for (int across = 1; across <= g.columns[0].outputs; ++across) {
        c.tile_w = implicit::ceil_div(g.columns[0].outputs, across);
        if (across > 1 && c.tile_w < 8) break;
        for (int down = 1; down <= g.rows[0].outputs; ++down) {
          c.tile_h = implicit::ceil_div(g.rows[0].outputs, down);
          if (down > 1 && c.tile_h == implicit::ceil_div(g.rows[0].outputs, down - 1)) continue;
          const Plan plan = find_plan(problem, limits, c, device);
          if (plan.kernel.empty()) continue;
          const double value = cost(problem, plan, c.blocks, device.multiprocessors);
          if (best.first == 0 || value < best.first) best = {value, c};
        }
      }
      if (best.first > 0) found.push_back(best);
    }
  kernels::sort(found);
  // A configuration with one block on a multiprocessor is offered only if no configuration with
  // several blocks is valid, because a single block cannot hide its latency behind the work of
  // other blocks.
  const bool alone = std::all_of(found.begin(), found.end(),
                                 [](const auto& each) { return each.second.blocks == 1; });
  std::vector<Configuration> result;
  for (const auto& [value, configuration] : found)
    if (result.size() < kMostOffers && (alone || configuration.blocks > 1))
      result.push_back(configuration);
  return result;
}

}  // namespace atc::grouped
