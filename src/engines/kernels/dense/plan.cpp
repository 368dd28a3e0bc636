#include "engines/kernels/dense/plan.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "core/format.hpp"
#include "engines/kernels/dense/shape.hpp"
#include "engines/kernels/planning.hpp"
#include "engines/kernels/window.hpp"

namespace atc::dense {

namespace {

// A kernel of convolve.cu: the rows and columns of its tile, and the size and number of its blocks.
struct Form {
  int rows, columns;
  int warpgroups;  // the number of consumer warpgroups of a block
  int blocks;      // the number of blocks that run on a multiprocessor at the same time
};
constexpr std::array kForms{Form{128, 256, 2, 1}, Form{64, 512, 2, 1}, Form{64, 192, 1, 2},
                            Form{64, 128, 1, 2}};

const Form* form_of(const Configuration& c) {
  for (const Form& form : kForms)
    if (form.rows == c.rows && form.columns == c.columns) return &form;
  return nullptr;
}

// The bytes of shared memory of a multiprocessor. The system uses kSharedOfSystem of these bytes
// for each block.
constexpr int kSharedOfMultiprocessor = 228 << 10, kSharedOfSystem = 1 << 10;
constexpr int kMostStrips = 16, kMostSplits = 16;
// The most wgmma instructions for one stage. If a stage has only two units (16 channels), it may
// need more, because the filter has more taps.
constexpr int kProductsOfStage = 9;

using kernels::ceil_div;

constexpr int round_up(int value, int to) { return (value + to - 1) / to * to; }

// A unit is 8 channels, and a chunk is the units of one stage. Returns the number of units of a
// chunk: the largest of 8 and 4 that meets two conditions. (1) A stage needs at most
// kProductsOfStage wgmma instructions. (2) The last chunk is filled up with zeros. With chunks of
// this size, all chunks together have at most a tenth more channels than with chunks of two units.
// If neither 8 nor 4 meets both conditions, returns 2.
int chunk_units(const Geometry& g) {
  const int least = round_up(g.in_channels, 2 * kUnit);
  for (int units = 8; units > 2; units /= 2)
    if (g.taps_h * g.taps_w * units / 2 <= kProductsOfStage &&
        round_up(g.in_channels, units * kUnit) * 10 <= least * 11)
      return units;
  return 2;
}

std::int64_t positions_of(const Geometry& g) {
  return static_cast<std::int64_t>(g.images) * g.strips * g.image_rows * g.row_positions;
}

// Chooses the number of stages and their places in shared memory. Returns false if shared memory is
// too small for two stages (or for one stage, if all input channels fit into one stage).
bool place_stages(Geometry& g, int most_shared) {
  const int room = most_shared - g.filters_at;
  const auto stages = [](int bytes, int stage) {
    return bytes < 0 ? 0 : std::min(kMostStages, bytes / stage);
  };
  // If all tiles use the same filters and there is enough room, a block loads the filters only once
  // and keeps them in shared memory.
  // The most chunks of channels whose filters are kept in shared memory.
  constexpr int kMostKept = 32;
  if (g.row_tiles == 1 && g.chunks <= std::min(kMostKept, room / g.filter_bytes)) {
    const int filters = g.chunks * g.filter_bytes;
    g.stages = stages(room - filters, g.stage_bytes);
    g.stages_at = g.filters_at + filters;
    g.keeps_filters = 1;
    if (g.stages >= 2) return true;
  }
  g.keeps_filters = 0;
  g.stages = std::min(stages(room, g.filter_bytes + g.stage_bytes), g.chunks);
  g.stages_at = g.filters_at + g.stages * g.filter_bytes;
  return g.stages >= std::min(2, g.chunks);
}

// Decides which tiles are split (split-K). `blocks` is the number of blocks that run at the same
// time. Returns false if the configuration is not useful for this number of tiles.
bool cut_tiles(Geometry& g, const Configuration& c, std::int64_t tiles, int blocks) {
  if (c.splits < 1 || c.rest_splits < 1 || (c.splits > 1 && c.rest_splits > 1)) return false;
  g.splits = std::max(c.splits, c.rest_splits);
  if (g.splits > kMostSplits || tiles > std::numeric_limits<std::int32_t>::max() / 2 / g.splits)
    return false;
  g.split_chunks = ceil_div(g.chunks, g.splits);
  if (g.split_chunks * (g.splits - 1) >= g.chunks) return false;
  const int whole = c.rest_splits > 1 ? static_cast<int>(tiles / blocks) * blocks : 0;
  const int rest = static_cast<int>(tiles) - whole;
  if (c.rest_splits > 1 && (whole == 0 || rest == 0)) return false;
  g.whole_tiles = g.splits > 1 ? whole : static_cast<int>(tiles);
  g.tasks = g.splits > 1 ? whole + rest * g.splits : g.whole_tiles;
  return true;
}

}  // namespace

Plan find_plan(const Problem& p, const Limits& limits, const Configuration& c,
               int multiprocessors) {
  Plan plan;
  const Form* const form = form_of(c);
  if (form == nullptr || c.strips < 1 || c.strips > kMostStrips) return plan;
  Geometry g = geometry_of(p, c.strips);
  if (g.strip_width * (c.strips - 1) >= g.out_width) return plan;
  const int taps = g.taps_h * g.taps_w;
  const std::int64_t halo = c.columns +
                            static_cast<std::int64_t>(g.taps_h - 1) * g.tap_row_positions +
                            static_cast<std::int64_t>(g.taps_w - 1) * g.tap_column_positions;
  const int most_shared = kSharedOfMultiprocessor / form->blocks - kSharedOfSystem;
  if (halo > most_shared / (2 * kUnitBytes)) return plan;
  g.halo_positions = static_cast<int>(halo);
  // Offsets in memory are counted from the first image that a tile touches. The offsets in all
  // images that the tile touches must fit into 32 bits.
  const std::int64_t images =
      halo / (static_cast<std::int64_t>(g.image_rows) * g.row_positions) + 2;
  if (images * std::max(g.in_image, g.out_image) > std::numeric_limits<std::int32_t>::max())
    return plan;

  g.paired = g.in_width % 2 == 0 && limits.alignment >= 4;
  g.out_paired = g.out_width % 2 == 0 && g.row_positions % 2 == 0 && limits.alignment >= 4 &&
                 (c.strips == 1 || g.strip_width % 2 == 0);
  g.slots = g.halo_positions;
  // A load reads a pair of neighbouring pixels. Pairs begin at even columns of the image, so a row
  // of the raster may have one pair more than half of its positions. The formula counts such an
  // additional pair for each row that a tile touches, also for the first and the last row, which
  // the tile touches only in part.
  if (g.paired) g.slots = g.halo_positions / 2 + (g.halo_positions - 1) / g.row_positions + 4;
  g.row_tiles = ceil_div(g.out_channels, c.rows);
  g.per_image = divisor(g.image_rows * g.row_positions);
  g.per_row = divisor(g.image_rows);
  g.per_row_positions = divisor(g.row_positions);
  g.per_strip = divisor(g.strips);
  g.per_line = divisor(g.row_positions / 2 + 1);
  g.per_row_tile = divisor(g.row_tiles);
  g.chunk_units = chunk_units(g);
  g.steps = ceil_div(std::int64_t{g.slots} * g.chunk_units / 2, kWarpgroup);
  g.chunks = ceil_div(g.in_channels, std::int64_t{g.chunk_units} * kUnit);
  g.filter_bytes = taps * g.chunk_units * c.rows * kUnitBytes;
  g.stage_bytes = round_up(std::int64_t{g.chunk_units} * g.halo_positions * kUnitBytes, 128);
  g.slots_at = kBarrierBytes;
  g.tile_rows = c.rows;
  g.tile_columns = c.columns;
  g.group_columns = c.columns * c.rows / (form->warpgroups * kRows);
  g.out_tables_at = g.slots_at + round_up(g.slots * 8, 16);
  g.staging_at = g.out_tables_at + form->warpgroups * g.group_columns * 4;
  g.filters_at = round_up(g.staging_at + form->warpgroups * staging_bytes(g.group_columns), 128);
  if (!place_stages(g, most_shared)) return plan;
  // The number of positions of all images must fit into 32 bits.
  if (positions_of(g) > std::numeric_limits<std::int32_t>::max() - c.columns) return plan;
  const std::int64_t tiles = (positions_of(g) + c.columns - 1) / c.columns * g.row_tiles;
  if (!cut_tiles(g, c, tiles, multiprocessors * form->blocks)) return plan;

  plan.filters = filter_view(p);
  plan.filters.tile_rows = c.rows;
  plan.filters.chunk_units = g.chunk_units;
  plan.filters.chunks = g.chunks;
  plan.filter_bytes = static_cast<std::uint64_t>(g.row_tiles) *
                      static_cast<std::uint64_t>(g.chunks) *
                      static_cast<std::uint64_t>(g.filter_bytes);
  plan.workspace = plan.filter_bytes + static_cast<std::uint64_t>(g.tasks - g.whole_tiles) *
                                           static_cast<std::uint64_t>(c.rows * c.columns) *
                                           sizeof(float);
  plan.pack_blocks_x = static_cast<unsigned>(g.row_tiles * (c.rows / kRows));
  plan.pack_blocks_y = static_cast<unsigned>(g.chunks * g.chunk_units);
  plan.pack_shared_bytes = static_cast<unsigned>(kRows * kUnitBytes * taps);
  if (plan.workspace > limits.workspace || plan.pack_blocks_y > 65535) return plan;
  plan.geometry = g;
  plan.blocks = static_cast<unsigned>(std::min(g.tasks, multiprocessors * form->blocks));
  plan.threads = static_cast<unsigned>((form->warpgroups + 1) * kWarpgroup);
  plan.shared_bytes = static_cast<unsigned>(g.stages_at + g.stages * g.stage_bytes);
  const char* const type = p.x.dtype == Dtype::f16 ? "f16" : "bf16";
  plan.kernel = format("atc_dense_{}_{}x{}", type, c.rows, c.columns);
  if (g.splits > 1) {
    plan.sum_kernel = format("atc_dense_{}_sum", type);
    plan.sum_blocks = static_cast<unsigned>((g.tasks - g.whole_tiles) / g.splits *
                                            (c.rows / kRows) * (c.columns / kSliceColumns));
    plan.sum_threads = kWarpgroup;
    plan.sum_shared_bytes = static_cast<unsigned>(staging_bytes(kSliceColumns) + kSliceColumns * 4);
  }
  return plan;
}

// The estimated time of a chunk of channels is the longest of three times: (1) the products of all
// blocks of a multiprocessor; (2) the transfers of the bytes that all these blocks get from the L2
// cache; (3) the loads of one block, one after the other.
double cost(const Plan& plan, const Configuration& c, int multiprocessors, const Costs& costs) {
  const Geometry& g = plan.geometry;
  const Form* const form = form_of(c);
  const int channels = g.chunk_units * kUnit, taps = g.taps_h * g.taps_w;
  const double products = static_cast<double>(c.rows) * c.columns * channels * taps;
  const double bytes = 2.0 * channels * (g.halo_positions + (g.keeps_filters ? 0 : taps * c.rows));
  const double loads = costs.load * g.steps;
  // Returns the estimated number of cycles for `count` tiles (or parts of tiles) of `chunks` chunks
  // of channels each. All multiprocessors share these tiles.
  const auto cycles_of = [&](int count, int chunks) {
    const double rounds = ceil_div(count, multiprocessors);
    const double at_once = std::min<double>(rounds, form->blocks);
    const double chunk = std::max({at_once * products / costs.products_per_cycle,
                                   at_once * bytes / costs.bytes_per_cycle, loads});
    return count == 0 ? 0 : rounds / at_once * (chunks * chunk + costs.around);
  };
  const int parts = g.tasks - g.whole_tiles;
  double cycles = cycles_of(g.whole_tiles, g.chunks) + cycles_of(parts, g.split_chunks);
  if (parts > 0)
    cycles +=
        costs.sum + static_cast<double>(parts) * c.rows * c.columns * 8 / costs.sum_bytes_per_cycle;
  return cycles * (1 + costs.strip * c.strips);
}

std::vector<Configuration> configurations(const Problem& problem, const Limits& limits,
                                          int multiprocessors) {
  kernels::Priced<Configuration> found;
  for (const Form& form : kForms) {
    std::pair<double, Configuration> best{std::numeric_limits<double>::infinity(), {}};
    for (int strips = 1; strips <= kMostStrips; ++strips)
      for (const int splits : {1, 2, 3, 4, 6, 8, 12, 16}) {
        // Tries both ways to split tiles: all tiles, or only the tiles of the last wave (the rest
        // that no longer occupies all blocks). To split all tiles is useful if there are fewer
        // tiles than blocks that run at the same time.
        for (int Configuration::*const split :
             {&Configuration::splits, &Configuration::rest_splits}) {
          Configuration c;
          c.rows = form.rows;
          c.columns = form.columns;
          c.strips = strips;
          c.*split = splits;
          const Plan plan = find_plan(problem, limits, c, multiprocessors);
          if (plan.kernel.empty()) continue;
          if (const double value = cost(plan, c, multiprocessors); value < best.first)
            best = {value, c};
        }
      }
    if (best.second.rows != 0) found.push_back(best);
  }
  return kernels::cheapest_first(std::move(found));
}

}  // namespace atc::dense
