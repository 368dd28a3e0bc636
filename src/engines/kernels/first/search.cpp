#include <algorithm>
#include <cmath>

#include "engines/kernels/first/plan.hpp"
#include "engines/kernels/first/shape.hpp"

namespace atc::first {

namespace {

constexpr std::size_t kMostOffers = 4;
// The most bytes that the partials of backward-weight may have.
constexpr std::uint64_t kMostParts = 64 << 20;

// Returns the estimated time of a plan of forward or backward-weight, in cycles of a
// multiprocessor. The estimate adds two times. (1) The time for loads of inputs from the L2 cache.
// Only a part of it is counted if several blocks run on a multiprocessor, or if the next tile is
// loaded ahead. (2) The time for products or for transfers of y, whichever is longer. Forward
// writes y to memory, and backward-weight reads dy from memory.
//
// The constants of both estimates in this file were set by hand on an NVIDIA H200 (132
// multiprocessors) on 2026-11-22. The measured times were not kept.
double cost(const Problem& p, const Plan& plan, const Configuration& c, const Capacity& device) {
  constexpr double kCacheBytes = 24, kMemoryBytes = 18, kProduct = 1.6;
  const Geometry& g = plan.geometry.g;
  const int pixels = pixels_of(g), element = g.slots.element_bytes;
  const int blocks = resident(static_cast<int>(plan.shared_bytes));
  constexpr double kRow = 25;
  const int copies = ceil_div(std::int64_t{g.x.width} * element,
                              std::int64_t{32} * std::max(g.x.copy_bytes, element));
  double load = 300 + kRow * copies * g.x.rows * g.x.planes +
                static_cast<double>(g.x.width) * g.x.rows * g.x.planes * element / kCacheBytes;
  double products = 0;
  const double outputs = static_cast<double>(pixels) * c.channels * element / kMemoryBytes;
  double tiles = static_cast<double>(g.tiles) * g.images * g.channel_blocks;
  if (is_gradient(p)) {
    const int per_word = 32 / element, sixteens = c.channels / 16;
    load += outputs;
    products = kProduct * pixels / per_word * sixteens * ceil_div(plan.geometry.taps, 8);
    tiles *= plan.geometry.tap_blocks;
  } else {
    products = kProduct * ceil_div(pixels, kPass) * g.steps * c.channels * 2 / 4;
  }
  const double busy = std::max(products, outputs);
  // kSector is the number of bytes of a memory sector. `split` is true if the runs of pixels that a
  // lane stores begin in the middle of a sector.
  constexpr int kSector = 32;
  const bool split = g.y_pixel == 1 && static_cast<long long>(g.y_channel) * element % kSector != 0;
  const double stores = c.staged ? 1.1 : split && !is_gradient(p) ? 1.7 : 1.0;
  const double exposed = g.stages == 2 ? 0.6 : blocks > 1 ? 0.8 : 1.0;
  const double tile = busy + exposed * load + (blocks > 1 ? 0.0 : 0.4 * busy);
  return std::ceil(std::max(1.0, tiles / device.multiprocessors)) * tile * stores;
}

// Returns the estimated time of backward-data by scatter.cu, in cycles. For each row of dy the
// estimate adds the time of the products of all taps, and the time of the sums over the taps of
// each column of dx.
double scatter_cost(const Plan& plan, const Capacity& device) {
  constexpr double kProduct = 1.6, kSum = 4, kRow = 300;
  const ScatterGeometry& s = plan.scatter;
  const Geometry& g = s.g;
  const int pixels = (g.tile_w - 1 + (g.w.width - 1) * g.w.dilation_w) / s.step + 1;
  const double items =
      ceil_div(std::int64_t{s.sixteens / 2} * ceil_div(std::min(pixels, g.width), 32), kWarps);
  const double products = items * kWarps * s.channels * g.slots.element_bytes / 32.0 * 8 * kProduct;
  const double sums = ceil_div(g.tile_w, kThreads) * 2.0 * g.w.channels * g.w.height *
                      (kSum * g.w.width / s.step + 10);
  const double rows =
      std::min<double>(g.height, (g.tile_h + (g.w.height - 1.0) * g.w.dilation_h) / g.x.step_h + 1);
  const int blocks = resident(static_cast<int>(plan.shared_bytes));
  const double waves =
      std::ceil(plan.blocks / (static_cast<double>(device.multiprocessors) * blocks));
  return waves * rows * (products + sums + (g.stages == 2 ? kRow : 2 * kRow)) *
         (blocks > 1 ? 1.5 : 1.0);
}

kernels::Priced<Configuration> scatter_configurations(const Problem& problem, const Limits& limits,
                                                      const Capacity& device) {
  const Geometry g = geometry_of(problem);
  kernels::Priced<Configuration> found;
  Configuration c;
  c.channels = round_up(g.channels, 16);
  for (const int down : {1, 2, 3, 4, 6, 8, 12, 16, 32, 64})
    for (int across = 1; across <= 64; across *= 2)
      for (const int stages : {2, 1}) {
        c.tile_h = ceil_div(g.x.height, down);
        c.tile_w = ceil_div(g.x.row / g.x.pixel, across);
        c.stages = stages;
        const Plan plan = find_plan(problem, limits, c, device);
        if (!plan.kernel.empty()) found.emplace_back(scatter_cost(plan, device), c);
      }
  return found;
}

// Appends the configurations of `found` with the shortest estimated times to `result`, until
// `result` has `most` configurations. A configuration that `result` already has is not appended
// again.
void append_cheapest(kernels::Priced<Configuration> found, std::size_t most,
                     std::vector<Configuration>& result) {
  kernels::sort(found);
  for (const auto& [price, configuration] : found)
    if (result.size() < most &&
        std::find(result.begin(), result.end(), configuration) == result.end())
      result.push_back(configuration);
}

// Returns the configurations of backward-data. They are configurations of strips.cu or, if
// strips.cu cannot compute the problem, of scatter.cu. If the stride is 1, one configuration of
// scatter.cu is added to those of strips.cu: at stride 1, strips.cu takes longer for copying rows
// of dy than for multiplying them, so scatter.cu may be faster.
std::vector<Configuration> scatter_offers(const Problem& problem, const Limits& limits,
                                          const Capacity& device) {
  std::vector<Configuration> result;
  append_cheapest(strip_configurations(problem, limits, device), kMostOffers - 1, result);
  if (result.empty())
    append_cheapest(scatter_configurations(problem, limits, device), kMostOffers, result);
  else if (geometry_of(problem).x.step_h == 1)
    append_cheapest(scatter_configurations(problem, limits, device), result.size() + 1, result);
  return result;
}

// Returns the number of parts into which the sum is cut (split-K): so many that all blocks can run
// at the same time. But there are not more parts than tiles, and the partials of all parts must fit
// into the workspace. Returns 0 if the configuration is not valid.
int splits_for(const Problem& p, const Limits& limits, Configuration c, const Capacity& device) {
  c.splits = 1;
  const Plan one = find_plan(p, limits, c, device);
  if (one.kernel.empty()) return 0;
  const double tiles = static_cast<double>(one.geometry.g.tiles) * one.geometry.g.images;
  const std::uint64_t room = std::min(kMostParts, limits.workspace) / one.workspace;
  const double at_once = static_cast<double>(device.multiprocessors) *
                         resident(static_cast<int>(one.shared_bytes)) / one.blocks;
  return static_cast<int>(std::clamp(at_once, 1.0, std::min(tiles, static_cast<double>(room))));
}

}  // namespace

std::vector<Configuration> configurations(const Problem& problem, const Limits& limits,
                                          const Capacity& device) {
  if (is_scatter(problem)) return scatter_offers(problem, limits, device);
  const Geometry g = geometry_of(problem);
  kernels::Priced<Configuration> found;
  const auto consider = [&](Configuration c) {
    for (const int way : {0, 1, 2, 3}) {
      c.stages = 2 - way % 2;
      c.staged = way / 2 != 0;
      if (is_gradient(problem)) c.splits = splits_for(problem, limits, c, device);
      const Plan plan = find_plan(problem, limits, c, device);
      if (!plan.kernel.empty() && plan.workspace <= limits.workspace)
        found.emplace_back(cost(problem, plan, c, device), c);
    }
  };
  Configuration c;
  c.channels = g.channels > 32 ? 64 : 32;
  const int least = is_gradient(problem) ? kPass / 2 : kPass;
  for (int pixels = least; pixels <= 8 * least; pixels *= 2) {
    Configuration flat = c;
    flat.pixels = pixels;
    consider(flat);
    for (int w = 16; w == 16 || (w < 2 * g.width && w <= 512); w *= 2) {
      Configuration tile = c;
      tile.tile_w = std::min(w, g.width);
      tile.tile_h = std::min(g.height, pixels / tile.tile_w);
      if (tile.tile_h > 0) consider(tile);
    }
  }
  kernels::sort(found);
  std::vector<Configuration> result;
  // Outputs can be stored directly or by way of shared memory (staged). If both ways are valid, the
  // result has at least one configuration of each way, so that both are timed.
  const bool both =
      std::any_of(found.begin(), found.end(), [](const auto& one) { return one.second.staged; });
  const auto is_other = [&](const Configuration& last) {
    return !both || std::any_of(result.begin(), result.end(), [&](const Configuration& one) {
      return one.staged != last.staged;
    });
  };
  for (const auto& [price, configuration] : found)
    if (result.size() < kMostOffers &&
        (result.size() + 1 < kMostOffers || is_other(configuration)) &&
        std::find(result.begin(), result.end(), configuration) == result.end())
      result.push_back(configuration);
  return result;
}

}  // namespace atc::first
