// Plans of the kernels with wgmma, and the choice of the configurations that are worth timing.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "core/format.hpp"
#include "engines/kernels/implicit/plan.hpp"
#include "engines/kernels/implicit/shape.hpp"
#include "engines/kernels/planning.hpp"

namespace atc::implicit {

namespace {

// The bytes of shared memory of a multiprocessor. The system uses kSharedOfSystem of these bytes
// for each block.
constexpr int kSharedOfMultiprocessor = 228 << 10, kSharedOfSystem = 1 << 10;
constexpr std::array kColumns{32, 64, 112, 128};
constexpr int kMostParts = 2;
// The approximate number of bytes of filters in a stage.
constexpr int kStage = 16 << 10;
constexpr int kStagesWanted = 3;
constexpr int kMostTile = kMultipliers * kMostParts * kRows;  // the most pixels of a tile
constexpr int kUnplaced = std::numeric_limits<int>::max();
// The most bytes that the partials of backward-weight may have.
constexpr std::uint64_t kMostGradientParts = 64 << 20;

// Returns N, the number of output channels of a group rounded up to one of kColumns. Returns 0 if
// the group has more output channels than the largest of kColumns, or if it reads or writes fewer
// than 32 channels. N = 32 is only used for TF32, because with so few channels of 16 bits the
// kernels with mma.sync are faster.
int columns_of(const Geometry& g, const Problem& p) {
  if (std::min(g.group_in, g.group_out) < kColumns.front()) return 0;
  const auto* const found = std::lower_bound(kColumns.begin(), kColumns.end(), g.group_out);
  if (found == kColumns.end()) return 0;
  return found == kColumns.begin() && p.x.dtype != Dtype::f32 ? 0 : *found;
}

// For backward-weight: returns the number of m64 tiles of a warpgroup (kM64Tiles) for N =
// `columns`. Returns 0 if there is no such kernel.
int sums_of(int columns) { return columns == 64 ? 6 : columns > 64 ? 3 : 0; }

// Returns the number of blocks that run on a multiprocessor at the same time. blocks_of in
// raster.cu must return the same number.
int blocks_of(const Configuration& c) {
  const int sums = c.parts * c.columns;
  return sums <= 32 ? 3 : sums <= 128 ? 2 : 1;
}

// Sets the fields of `s` that do not depend on the direction (forward, backward-data or
// backward-weight). Returns false if the configuration is not valid for the problem.
bool set_tiles(RasterGeometry& s, const Problem& p, const Limits& limits, const Configuration& c) {
  Geometry& g = s.g;
  g = geometry_of(p, limits);
  if (g.paired || p.groups == 1) return false;
  if (p.x.dtype == Dtype::f32 && (!limits.allow_tf32 || is_gradient(p))) return false;
  const Axis rows = longest(g.rows), columns = longest(g.columns);
  if (c.columns != columns_of(g, p) || c.columns == 0 || c.tiles < 1 || c.tile_h < 1 ||
      c.tile_w < 1 || c.tile_h > rows.outputs || c.tile_w > columns.outputs ||
      c.tile_h * c.tile_w > kMostTile || c.sixteens != 0 || c.eights != 0 || c.groups != 1)
    return false;
  g.tile_h = c.tile_h;
  g.tile_w = c.tile_w;
  g.tiles_h = ceil_div(rows.outputs, c.tile_h);
  g.tiles_w = ceil_div(columns.outputs, c.tile_w);
  g.block_groups = 1;
  g.group_blocks = g.groups;
  g.tap_chunks = round_up(g.tap_chunks, 2);
  s.columns = c.columns;
  s.images = static_cast<int>(p.batch());
  const int height = halo(g.tile_h, g.step, rows), width = halo(g.tile_w, g.step, columns);
  s.row_positions = ceil_div(width, g.step);
  s.plane_positions = ceil_div(height, g.step) * s.row_positions;
  s.tile_positions = std::min(g.step, height) * g.step * s.plane_positions;
  const std::int64_t depth = static_cast<std::int64_t>(rows.taps) * columns.taps * g.tap_chunks;
  return p.batch() * g.tiles_h * g.tiles_w <= std::numeric_limits<int>::max() / 2 &&
         depth * c.columns * kChunk <= std::numeric_limits<int>::max();
}

// Returns the number of positions from the first output of a tile to its last output, both
// included.
int positions_of(const RasterGeometry& s) {
  return (s.g.tile_h - 1) * s.row_positions + s.g.tile_w;
}

// Chooses the layout of shared memory, and returns the number of bytes that it takes. Returns
// kUnplaced if shared memory is too small.
int place(RasterGeometry& s, const Configuration& c, int element) {
  Geometry& g = s.g;
  const int taps = longest(g.rows).taps * longest(g.columns).taps;
  const int chunk_bytes = c.columns * kChunk, positions = positions_of(s);
  s.tile_parts = ceil_div(positions, kRows);
  const int room = kMultipliers * c.parts / std::max(s.tile_parts, 1);
  if (room < 1 || c.tiles > room) return kUnplaced;
  s.block_tiles = c.tiles;
  // The last m64 tile of a block (the 64 positions of one wgmma) also reads positions after the
  // block's last tile. So `beyond` positions must exist after the last tile.
  const int beyond = s.tile_parts * kRows - positions;
  s.chunk_positions = (c.tiles * s.tile_positions + beyond) | 1;

  const int chunks = taps * g.tap_chunks;
  s.stage_chunks = std::clamp(kStage / chunk_bytes / 2 * 2, 2, std::max(chunks, 2));
  s.stage_bytes = s.stage_chunks * chunk_bytes;
  const int stages_of_all = ceil_div(chunks, s.stage_chunks);
  s.filters_at = round_up(kBarrierBytes + taps * 4, 128);
  // `tiles` is the number of bytes of the input of all tiles. From a chunk (16 bytes of channels)
  // to the next chunk there are `chunk_positions` positions, of which at most one is unused.
  const std::int64_t tiles = static_cast<std::int64_t>(g.tap_chunks) * s.chunk_positions * kChunk;
  const std::int64_t most = kSharedOfMultiprocessor / blocks_of(c) - kSharedOfSystem;
  const std::int64_t left = most - s.filters_at - tiles - 128;
  s.stages = static_cast<int>(
      std::min<std::int64_t>({left / s.stage_bytes, kMostStages, std::max(stages_of_all, 1)}));
  if (s.stages < std::min(kStagesWanted - 1, std::max(stages_of_all, 1))) return kUnplaced;
  s.tiles_at = round_up(s.filters_at + s.stages * s.stage_bytes, 128);
  const int pixels = g.tile_h * g.tile_w;
  const int lines = g.channels_first ? g.group_out : pixels;
  const int of_line = g.channels_first ? pixels : g.group_out;
  s.staged_tile_at = lines * (round_up(of_line * element, kChunk) + kChunk);
  const std::int64_t bytes = std::max(
      s.tiles_at + tiles, s.filters_at + static_cast<std::int64_t>(s.staged_tile_at) * c.tiles);
  return bytes > most ? kUnplaced : static_cast<int>(bytes);
}

Plan gradient_plan_of(const Problem& p, const Limits& limits, const Configuration& c) {
  Plan plan;
  RasterGradient gradient;
  RasterGeometry& s = gradient.s;
  Geometry& g = s.g;
  if (!set_tiles(s, p, limits, c) || c.parts != sums_of(c.columns) || c.tiles != 1) return plan;
  const std::int64_t tiles = p.batch() * g.tiles_h * g.tiles_w;
  if (c.splits < 1 || c.splits > tiles) return plan;
  const int taps = g.rows[0].taps * g.columns[0].taps;
  s.block_tiles = 1;
  gradient.splits = c.splits;
  gradient.row_parts = ceil_div(g.tap_chunks, kRows / 8);
  gradient.sums = taps * gradient.row_parts;
  gradient.sum_blocks = ceil_div(gradient.sums, std::int64_t{kMultipliers} * c.parts);
  gradient.depth = round_up(positions_of(s), 16);
  s.chunk_positions = (s.tile_positions + gradient.depth - positions_of(s)) | 1;
  gradient.y_positions = gradient.depth | 1;
  gradient.x_bytes = round_up(g.tap_chunks * s.chunk_positions * kChunk, 128);
  gradient.y_bytes = round_up(c.columns / 8 * gradient.y_positions * kChunk, 128);
  gradient.y_at = 2 * gradient.x_bytes;
  // The last m64 tile (64 input channels) of a tap may read chunks after the tap's channels. These
  // chunks must lie in the block's shared memory. They lie in the stages of dy, which follow the
  // stages of x.
  const int beyond = (gradient.row_parts * kRows / 8 - g.tap_chunks) * s.chunk_positions * kChunk;
  const std::int64_t shared = gradient.y_at + std::int64_t{2} * gradient.y_bytes;
  const double blocks = static_cast<double>(c.splits) * g.groups * gradient.sum_blocks;
  if (beyond > 2 * gradient.y_bytes || blocks >= 0x80000000u ||
      shared > kSharedOfMultiprocessor - kSharedOfSystem)
    return plan;
  plan.raster = gradient;
  plan.shared_bytes = static_cast<unsigned>(shared);
  plan.blocks = static_cast<unsigned>(blocks);
  plan.filters = filter_view(p);
  const std::uint64_t elements = static_cast<std::uint64_t>(g.groups) *
                                 static_cast<unsigned>(g.group_out * 8) *
                                 static_cast<unsigned>(taps * g.tap_chunks);
  plan.workspace =
      kernels::aligned_bytes(elements * sizeof(float) * static_cast<unsigned>(c.splits));
  plan.kernel =
      format("atc_implicit_raster_gradient_{}_{}x{}", kernels::math_of(p), c.parts, c.columns);
  plan.filter_kernel = format("atc_implicit_sum_raster_{}", kernels::math_of(p));
  plan.filter_blocks = static_cast<unsigned>((elements + 31) / 32);
  return plan;
}

std::vector<Configuration> gradient_configurations(const Problem& p, const Limits& limits,
                                                   int multiprocessors) {
  const Geometry g = geometry_of(p, limits);
  std::pair<double, Configuration> best{std::numeric_limits<double>::infinity(), {}};
  Configuration c;
  c.columns = columns_of(g, p);
  c.parts = sums_of(c.columns);
  c.tiles = 1;
  if (c.parts == 0) return {};
  for (int across = 1; across <= g.columns[0].outputs; ++across) {
    c.tile_w = ceil_div(g.columns[0].outputs, across);
    if (c.tile_w < 8 && across > 1) break;
    for (int down = 1; down <= g.rows[0].outputs; ++down) {
      c.tile_h = ceil_div(g.rows[0].outputs, down);
      c.splits = 1;
      const Plan one = find_raster_plan(p, limits, c);
      if (one.kernel.empty() || one.workspace > limits.workspace) continue;
      const std::int64_t tiles = p.batch() * one.raster.s.g.tiles_h * one.raster.s.g.tiles_w;
      const std::uint64_t room = std::min(kMostGradientParts, limits.workspace) / one.workspace;
      for (int waves = 1; waves <= 2; ++waves) {
        c.splits = static_cast<int>(std::clamp<std::int64_t>(
            std::min<std::int64_t>(std::int64_t{waves} * multiprocessors / one.blocks,
                                   static_cast<std::int64_t>(std::min<std::uint64_t>(room, 4096))),
            1, tiles));
        const Plan plan = find_raster_plan(p, limits, c);
        if (plan.kernel.empty()) continue;
        if (const double value = raster_gradient_cost(plan, c, multiprocessors); value < best.first)
          best = {value, c};
      }
    }
  }
  if (best.second.parts == 0) return {};
  return {best.second};
}

}  // namespace

// The estimated time of a kernel of forward or backward-data. A round is as many blocks as run at
// the same time. For each round, the estimate adds three times: (1) the products, or the copies of
// the filters from the L2 cache if these take longer; (2) the copies of the input; (3) a constant.
double raster_cost(const Plan& plan, const Configuration& c, int multiprocessors,
                   const RasterCosts& costs) {
  const RasterGeometry& s = plan.raster.s;
  const Geometry& g = s.g;
  const Axis rows = longest(g.rows), columns = longest(g.columns);
  const double depth = static_cast<double>(rows.taps) * columns.taps * g.tap_chunks * kChunk;
  // The average fraction of all taps that one phase of backward-data uses.
  const double share = 1.0 / (g.phases_h * g.phases_w);
  const double products =
      share * depth / 2 * c.columns * kMultipliers * c.parts * kRows / costs.products_per_cycle;
  const double filters = share * depth * c.columns / costs.bytes_per_cycle;
  const double input = static_cast<double>(s.block_tiles) * s.tile_positions * g.tap_chunks *
                       kChunk / costs.input_bytes_per_cycle;
  const int at_once = blocks_of(c);
  const double rounds = ceil_div(plan.blocks, static_cast<std::int64_t>(multiprocessors) * at_once);
  return rounds * (at_once * std::max(products, filters) +
                   (at_once == 1 ? 1.0 : costs.beside * at_once) * (input + costs.around));
}

// The estimated time of a kernel of backward-weight. For each tile, it is the time of the products,
// or of the copies from the L2 cache if these take longer, plus a constant. The time to write and
// to read the partials is added once for the whole launch.
double raster_gradient_cost(const Plan& plan, const Configuration& c, int multiprocessors,
                            const RasterGradientCosts& costs) {
  const RasterGradient& gradient = plan.raster;
  const RasterGeometry& s = gradient.s;
  const Geometry& g = s.g;
  const double tiles = static_cast<double>(s.images) * g.tiles_h * g.tiles_w;
  const double products = static_cast<double>(kMultipliers) * c.parts * kRows * c.columns *
                          gradient.depth / costs.products_per_cycle;
  const double bytes = (s.tile_positions * static_cast<double>(g.tap_chunks) +
                        static_cast<double>(g.tile_h) * g.tile_w * ceil_div(g.group_out, 8)) *
                       kChunk / costs.bytes_per_cycle;
  const double rounds = ceil_div(plan.blocks, multiprocessors);
  return rounds * (std::ceil(tiles / c.splits) * (std::max(products, bytes) + costs.around) +
                   costs.block) +
         2.0 * static_cast<double>(plan.workspace) / costs.parts_per_cycle;
}

Plan find_raster_plan(const Problem& p, const Limits& limits, const Configuration& c) {
  if (is_gradient(p)) return gradient_plan_of(p, limits, c);
  Plan plan;
  RasterGeometry s;
  Geometry& g = s.g;
  if (!set_tiles(s, p, limits, c) || c.parts < 1 || c.parts > kMostParts || c.splits != 0)
    return plan;
  const std::int64_t tiles = p.batch() * g.tiles_h * g.tiles_w;
  const double blocks =
      static_cast<double>(ceil_div(tiles, c.tiles)) * g.groups * g.phases_h * g.phases_w;
  const int shared = place(s, c, static_cast<int>(size_of(p.x.dtype)));
  if (blocks >= 0x80000000u || shared == kUnplaced) return plan;
  plan.shared_bytes = static_cast<unsigned>(shared);
  plan.blocks = static_cast<unsigned>(blocks);
  plan.filters = filter_view(p);
  std::uint64_t bytes = 0, most = 0;
  for (int i = 0; i < g.phases_h; ++i)
    for (int k = 0; k < g.phases_w; ++k) {
      g.phase_filter_bytes[i * kMostPhases + k] = static_cast<long long>(bytes);
      const std::uint64_t size = static_cast<std::uint64_t>(g.groups) *
                                 static_cast<unsigned>(g.rows[i].taps * g.columns[k].taps) *
                                 static_cast<unsigned>(g.tap_chunks * c.columns) * kChunk;
      bytes += kernels::aligned_bytes(size);
      most = std::max(most, size);
    }
  plan.raster.s = s;
  plan.workspace = bytes;
  plan.kernel = format("atc_implicit_raster_{}_{}x{}", kernels::math_of(p), c.parts, c.columns);
  plan.filter_kernel = format("atc_implicit_pack_raster_{}", kernels::math_of(p));
  plan.filter_blocks =
      static_cast<unsigned>(std::clamp<std::uint64_t>(most / kChunk / kThreads, 1, 2048));
  plan.filter_blocks_y = static_cast<unsigned>(g.phases_h * g.phases_w);
  return plan;
}

std::vector<Configuration> raster_configurations(const Problem& problem, const Limits& limits,
                                                 int multiprocessors) {
  if (is_gradient(problem)) return gradient_configurations(problem, limits, multiprocessors);
  kernels::Priced<Configuration> found;
  const Geometry g = geometry_of(problem, limits);
  const Axis rows = longest(g.rows), columns = longest(g.columns);
  for (int parts = 1; parts <= kMostParts; ++parts) {
    std::pair<double, Configuration> best{std::numeric_limits<double>::infinity(), {}};
    Configuration c;
    c.parts = parts;
    c.columns = columns_of(g, problem);
    if (c.columns == 0) break;
    for (int across = 1; across <= columns.outputs; ++across) {
      c.tile_w = ceil_div(columns.outputs, across);
      if (c.tile_w < 4 && across > 1) break;
      for (int down = 1; down <= rows.outputs; ++down) {
        c.tile_h = ceil_div(rows.outputs, down);
        for (c.tiles = kMultipliers * parts; c.tiles > 0; --c.tiles) {
          const Plan plan = find_raster_plan(problem, limits, c);
          if (plan.kernel.empty() || plan.workspace > limits.workspace) continue;
          if (const double value = raster_cost(plan, c, multiprocessors); value < best.first)
            best = {value, c};
        }
      }
    }
    if (best.second.parts != 0) found.push_back(best);
  }
  return kernels::cheapest_first(std::move(found));
}

}  // namespace atc::implicit
