#include "engines/kernels/implicit/plan.hpp"

#include <algorithm>
#include <limits>

#include "core/format.hpp"
#include "engines/kernels/implicit/shape.hpp"
#include "engines/kernels/planning.hpp"

namespace atc::implicit {

namespace {

// The largest number of bytes of shared memory that a block may use. With this limit, two blocks
// fit into a multiprocessor of an H100.
constexpr int kMostShared = 96 << 10;
// If the filters of a block together have at most this many bytes, they are loaded at once, as one
// stage.
constexpr int kResidentFilters = 40 << 10;
// The approximate number of bytes of filters in a stage if the filters are loaded in two stages.
constexpr int kStage = 20 << 10;

// Chooses the layout of a tile's halo (its input) in shared memory. The halo is placed at the
// offset `at`, rounded up. Returns the offset where the halo ends. The caller must have called
// set_blocks for `g` before.
int place_halo(Geometry& g, int at) {
  const Axis rows = longest(g.rows), columns = longest(g.columns);
  const int height = halo(g.tile_h, g.step, rows), width = halo(g.tile_w, g.step, columns);
  g.halo_at = round_up(at, 128);
  if (g.paired) {
    g.pixel_pitch_bytes = kChunk / 2;
    g.row_pitch_bytes = round_up((width + 1) * g.pixel_pitch_bytes, kChunk);
  } else {
    // The distance between two pixels is an odd number of chunks (16 bytes), so that neighbouring
    // pixels lie in different banks.
    g.pixel_pitch_bytes = (g.block_groups * g.tap_chunks | 1) * kChunk;
    g.row_pitch_bytes = width * g.pixel_pitch_bytes;
  }
  int bytes = height * g.row_pitch_bytes;
  if (g.paired && g.step % 2 != 0) {
    g.shifted_copy_bytes = round_up(bytes, 128) + 64;
    bytes += g.shifted_copy_bytes;
  }
  return g.halo_at + bytes;
}

void set_blocks(Geometry& g, const Units& units, const Configuration& c) {
  const Axis rows = longest(g.rows), columns = longest(g.columns);
  g.tile_h = c.tile_h;
  g.tile_w = c.tile_w;
  g.tiles_h = ceil_div(rows.outputs, c.tile_h);
  g.tiles_w = ceil_div(columns.outputs, c.tile_w);
  g.block_groups = c.groups;
  g.group_blocks = ceil_div(g.groups, c.groups);
  g.units = units.units;
  g.unit_blocks = units.blocks;
  g.block_units = units.units * c.groups;
}

// Returns whether the configuration is valid for the geometry, apart from the size of shared
// memory, which is checked later.
bool fits(const Geometry& g, const Units& units, const Configuration& c) {
  const Axis rows = longest(g.rows), columns = longest(g.columns);
  return c.eights == units.eights && kernels::is_power_of_two(c.groups) &&
         c.groups < 2 * g.groups && c.groups * units.units <= kMostUnits &&
         (units.blocks == 1 || c.groups == 1) && c.tile_h >= 1 && c.tile_w >= 1 &&
         c.tile_h <= std::max(1, rows.outputs) && c.tile_w <= std::max(1, columns.outputs);
}

bool own_filters_serve(const Problem& p, const Limits& limits, const Geometry& g) {
  return p.direction == Direction::forward && !g.paired &&
         (p.x.dtype != Dtype::f32 || !limits.allow_tf32) && p.w.channels_last() &&
         g.group_in % width_of_chunk(p) == 0 && limits.alignment >= kChunk;
}

int shared_of_forward(Geometry& g, const Units& units, int element) {
  int chunks = 0;
  for (int i = 0; i < g.phases_h; ++i)
    for (int k = 0; k < g.phases_w; ++k)
      chunks = std::max(chunks, chunks_of(g, g.rows[i], g.columns[k]));
  const int rows = g.block_units * units.eights * 8;
  // The distance between two rows of filters is an odd number of chunks (16 bytes), so that rows
  // begin in different banks. If there are two stages, the number of chunks of a stage is even,
  // because an mma multiplies two chunks.
  const auto pitch = [](int count) { return (count | 1) * kChunk; };
  int stages = 1;
  g.stage_chunks = std::max(chunks, 1);
  if (rows * pitch(chunks) > kResidentFilters) {
    g.stage_chunks = std::max(2, (kStage / (rows * kChunk) - 1) / 2 * 2);
    stages = 2;
  }
  g.filter_pitch_bytes = pitch(g.stage_chunks);
  g.stage_bytes = round_up(rows * g.filter_pitch_bytes, 128);
  while (g.filter_shift < 5 && 1 << g.filter_shift < g.stage_chunks) ++g.filter_shift;
  g.filters_at = round_up(round_up(std::max(chunks, 2), 2) * 4, 128);
  // ldmatrix reads sixteen rows at once, and one chunk (16 bytes) after the last chunk of each row.
  // So these bytes must exist in shared memory. Their products are not used.
  const int beyond = 8 * g.filter_pitch_bytes + kChunk;
  const int bytes = place_halo(g, g.filters_at + stages * g.stage_bytes + beyond);
  const int pixels = g.tile_h * g.tile_w * element;
  const int channels = (g.unit_blocks > 1 ? rows : g.block_groups * g.group_out) * element;
  const int staged = g.channels_first ? channels / element * (round_up(pixels, kChunk) + kChunk)
                                      : pixels / element * (round_up(channels, kChunk) + kChunk);
  return std::max(bytes, staged);
}

int shared_of_gradient(GradientGeometry& gradient, const Units& units) {
  Geometry& g = gradient.g;
  const int chunks = chunks_of(g, g.rows[0], g.columns[0]), pixels = g.tile_h * g.tile_w;
  gradient.zeros_at = round_up(chunks * 4, kChunk);
  gradient.pixels_at = gradient.zeros_at + kChunk;
  gradient.out_at = round_up(gradient.pixels_at + pixels * 4, 128);
  gradient.out_pitch_bytes = (g.block_groups * gradient.out_chunks | 1) * kChunk;
  // A unit is the output channels that a warp computes. For each unit, the kernel reads all n8
  // tiles and one n8 tile more, even if the group has fewer channels. These bytes must exist in
  // shared memory.
  const int beyond = (units.units * units.eights + 1) * 2 * kChunk;
  return place_halo(g, gradient.out_at + pixels * gradient.out_pitch_bytes + beyond);
}

Plan gradient_plan_of(const Problem& p, const Limits& limits, const Configuration& c) {
  Plan plan;
  GradientGeometry& gradient = plan.geometry;
  Geometry& g = gradient.g;
  g = geometry_of(p, limits);
  plan.filters = filter_view(p);
  const Units units = units_of(g);
  const std::int64_t images = p.batch();
  if (!fits(g, units, c)) return plan;
  set_blocks(g, units, c);
  const std::int64_t tiles = images * g.tiles_h * g.tiles_w;
  if (c.sixteens != kGradientSixteens || c.tile_h * c.tile_w > kMostGradientTile || c.splits < 1 ||
      c.splits > tiles || tiles > std::numeric_limits<int>::max())
    return plan;
  const int width = width_of_chunk(p);
  gradient.images = static_cast<int>(images);
  gradient.splits = c.splits;
  gradient.row_blocks = gradient_row_blocks(g, width, c.groups, units.units);
  gradient.out_chunks = ceil_div(g.group_out, width);
  const int shared = shared_of_gradient(gradient, units);
  const double blocks =
      static_cast<double>(c.splits) * g.group_blocks * g.unit_blocks * gradient.row_blocks;
  if (shared > kMostShared || blocks >= 0x80000000u) return plan;
  plan.shared_bytes = static_cast<unsigned>(shared);
  plan.blocks = static_cast<unsigned>(blocks);
  const std::uint64_t elements = static_cast<std::uint64_t>(g.groups) *
                                 static_cast<unsigned>(g.group_out * width) *
                                 static_cast<unsigned>(chunks_of(g, g.rows[0], g.columns[0]));
  plan.workspace =
      kernels::aligned_bytes(elements * sizeof(float) * static_cast<unsigned>(c.splits));
  plan.kernel = format("atc_implicit_gradient_{}_{}x{}{}", kernels::math_of(p, limits.allow_tf32),
                       c.sixteens, c.eights, g.paired ? "_pairs" : "");
  plan.filter_kernel = format("atc_implicit_sum_{}", kernels::math_of(p, limits.allow_tf32));
  plan.filter_blocks = static_cast<unsigned>((elements + 31) / 32);
  return plan;
}

}  // namespace

int sixteens_of(int eights) { return eights <= 2 ? 8 : 4; }

int gradient_row_blocks(const Geometry& g, int width, int groups, int units) {
  const int elements = chunks_of(g, g.rows[0], g.columns[0]) * width;
  const int of_block = kGradientSixteens * (kWarps / (groups * units));
  return ceil_div(ceil_div(elements, 16), of_block);
}

Plan find_plan(const Problem& p, const Limits& limits, const Configuration& c) {
  if (c.parts != 0) return find_raster_plan(p, limits, c);
  if (is_gradient(p)) return gradient_plan_of(p, limits, c);
  Plan plan;
  Geometry& g = plan.geometry.g;
  g = geometry_of(p, limits);
  plan.filters = filter_view(p);
  const Units units = units_of(g);
  if (!fits(g, units, c)) return plan;
  set_blocks(g, units, c);
  const int pixels = c.tile_h * c.tile_w;
  if (c.splits != 0 || c.sixteens != sixteens_of(units.eights) ||
      pixels > 16 * c.sixteens * (kWarps / g.block_units))
    return plan;
  const auto element = static_cast<int>(size_of(p.x.dtype));
  const int shared = shared_of_forward(g, units, element);
  const double blocks = static_cast<double>(p.batch()) * g.phases_h * g.phases_w * g.tiles_h *
                        g.tiles_w * g.group_blocks * g.unit_blocks;
  if (shared > kMostShared || blocks >= 0x80000000u) return plan;
  plan.shared_bytes = static_cast<unsigned>(shared);
  plan.blocks = static_cast<unsigned>(blocks);
  plan.kernel = format("atc_implicit_{}_{}x{}{}", kernels::math_of(p, limits.allow_tf32),
                       c.sixteens, c.eights, g.paired ? "_pairs" : "");
  if (own_filters_serve(p, limits, g)) return plan;
  std::uint64_t bytes = 0, most = 0;
  for (int i = 0; i < g.phases_h; ++i)
    for (int k = 0; k < g.phases_w; ++k) {
      g.phase_filter_bytes[i * kMostPhases + k] = static_cast<long long>(bytes);
      const std::uint64_t size =
          static_cast<std::uint64_t>(g.groups) * static_cast<unsigned>(g.group_out) *
          static_cast<unsigned>(chunks_of(g, g.rows[i], g.columns[k])) * kChunk;
      bytes += kernels::aligned_bytes(size);
      most = std::max(most, size);
    }
  plan.workspace = bytes;
  plan.filter_kernel = format("atc_implicit_pack_{}", kernels::math_of(p, limits.allow_tf32));
  plan.filter_blocks = static_cast<unsigned>(
      std::clamp<std::uint64_t>(most / size_of(p.x.dtype) / kThreads, 1, 2048));
  plan.filter_blocks_y = static_cast<unsigned>(g.phases_h * g.phases_w);
  return plan;
}

}  // namespace atc::implicit
