#include <algorithm>
#include <limits>

#include "engines/kernels/implicit/plan.hpp"
#include "engines/kernels/implicit/shape.hpp"

namespace atc::implicit {

namespace {

constexpr std::size_t kMostOffers = 4;
constexpr int kMostTile = 512;  // the most pixels of a tile
// The most bytes that the partials of backward-weight may have.
constexpr std::uint64_t kMostParts = 64 << 20;

// Returns the estimated cost of an image's tiles. The cost has no unit. It adds two things: the
// number of inputs that are loaded (with an extra for each row, because a row begins and ends in
// the middle of a memory sector), and the mma instructions of all warps. The constants were set by
// hand on an NVIDIA H200 (132 multiprocessors) on 2026-11-22. The measured times were not kept.
double cost(const Geometry& g, const Configuration& c, int sixteens) {
  const Axis rows = longest(g.rows), columns = longest(g.columns);
  const int th = ceil_div(rows.outputs, c.tile_h), tw = ceil_div(columns.outputs, c.tile_w);
  const int beside = g.channels_first ? 8 : 0;
  const double inputs =
      halo(c.tile_h, g.step, rows) * static_cast<double>(halo(c.tile_w, g.step, columns) + beside);
  // The number of warps that share the pixels of a tile.
  const int warps = std::max(1, sixteens / 8);
  const int pixels = c.tile_h * c.tile_w;
  const int used = ceil_div(ceil_div(pixels, 16), warps) * warps;
  return th * static_cast<double>(tw) * (inputs + 16.0 * used * 0.5 + 32);
}

// Tries tiles of at most `most` pixels, and sets the tile of the configuration `c` to the tile with
// the least cost. Returns false if no tile is valid.
bool choose_tile(const Problem& p, const Limits& limits, Configuration& c, int most) {
  const Geometry g = geometry_of(p, limits);
  const Axis rows = longest(g.rows), columns = longest(g.columns);
  double least = std::numeric_limits<double>::infinity();
  Configuration best = c;
  for (int parts = 1; parts <= columns.outputs; ++parts) {
    c.tile_w = ceil_div(columns.outputs, parts);
    if (c.tile_w > most) continue;
    if (c.tile_w < 4 && parts > 1) break;
    for (int fit = std::min(most / c.tile_w, rows.outputs); fit > 0; fit /= 2) {
      c.tile_h = ceil_div(rows.outputs, ceil_div(rows.outputs, fit));
      if (const double value = cost(g, c, most / 16);
          value < least && !find_plan(p, limits, c).kernel.empty()) {
        least = value;
        best = c;
      }
    }
  }
  c = best;
  return least < std::numeric_limits<double>::infinity();
}

// For backward-weight: returns the number of splits (parts of the sum), which is at least 1. The
// number is chosen so that there are two blocks for each multiprocessor. Two limits may reduce it.
// First, a split sums over whole tiles, so there must not be more splits than all images together
// have tiles. Second, the partials of all splits must fit into the workspace and into kMostParts
// bytes. The caller must have set `c.splits` to 1.
int splits_for(const Problem& p, const Limits& limits, const Configuration& c,
               int multiprocessors) {
  const Plan one = find_plan(p, limits, c);
  const Geometry& g = one.geometry.g;
  const double tiles = static_cast<double>(p.batch()) * g.tiles_h * g.tiles_w;
  const std::uint64_t room = std::min(kMostParts, limits.workspace) / one.workspace;
  const double wanted = std::min(2.0 * multiprocessors / one.blocks, static_cast<double>(room));
  return static_cast<int>(std::clamp(wanted, 1.0, tiles));
}

}  // namespace

std::vector<Configuration> configurations(const Problem& problem, const Limits& limits,
                                          int multiprocessors, bool warpgroups) {
  std::vector<Configuration> result;
  // The wgmma kernels are faster than the kernels with mma.sync. So only the wgmma kernels are
  // offered if they can compute the problem.
  if (warpgroups) result = raster_configurations(problem, limits, multiprocessors);
  if (!result.empty()) return result;
  const Geometry g = geometry_of(problem, limits);
  const Units units = units_of(g);
  int most_groups = 1;
  while (units.blocks == 1 && most_groups * units.units < kMostUnits && most_groups < g.groups)
    most_groups *= 2;
  // In backward-weight, several blocks may share the elements of the filters. This loop reduces the
  // number of groups of a block until one block has enough warps for all elements of its filters.
  const auto shares_rows = [&](int groups) {
    return gradient_row_blocks(g, width_of_chunk(problem), groups, units.units) > 1;
  };
  while (is_gradient(problem) && most_groups > 1 && shares_rows(most_groups)) most_groups /= 2;
  for (int groups = most_groups; groups > 0 && result.size() < kMostOffers; groups /= 2)
    for (const int share : {1, 2}) {
      Configuration c;
      c.eights = units.eights;
      c.groups = groups;
      int most = kMostGradientTile / share;
      if (is_gradient(problem)) {
        c.sixteens = kGradientSixteens;
        c.splits = 1;
      } else {
        c.sixteens = sixteens_of(units.eights);
        most = std::min(kMostTile, 16 * c.sixteens * (kWarps / (units.units * groups)) / share);
      }
      if (!choose_tile(problem, limits, c, most)) continue;
      if (is_gradient(problem)) c.splits = splits_for(problem, limits, c, multiprocessors);
      if (find_plan(problem, limits, c).workspace > limits.workspace) continue;
      if (result.size() < kMostOffers && std::find(result.begin(), result.end(), c) == result.end())
        result.push_back(c);
    }
  return result;
}

}  // namespace atc::implicit
