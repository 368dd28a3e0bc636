#include "engines/kernels/grouped/plan.hpp"

#include <algorithm>
#include <limits>

#include "core/format.hpp"
#include "engines/kernels/implicit/shape.hpp"
#include "engines/kernels/planning.hpp"

namespace atc::grouped {

namespace {

using implicit::Axis;
using implicit::ceil_div;
using implicit::kChunk;
using implicit::kWarps;
using implicit::round_up;
using implicit::Units;

// The bytes of shared memory that all blocks of a multiprocessor may use together. For each block,
// the system uses 1 KiB of them.
constexpr int kSharedOfMultiprocessor = 227 << 10;
// The largest number of blocks that run on a multiprocessor at the same time.
constexpr int kMostBlocks = 3;
constexpr int kMostItems = std::numeric_limits<int>::max() / 2;
// The most pixels of a tile. The kernels divide a pixel's number by multiplication, which is exact
// up to this limit.
constexpr int kMostTile = 1000;
// The most pixels of the input that a tile reads.
constexpr int kMostHalo = 1 << 14;
// For backward-weight: the number of blocks that run on a multiprocessor at the same time.
constexpr int kGradientBlocks = 2;
constexpr int kUnplaced = std::numeric_limits<int>::max();

// Returns the number of bytes of shared memory that a block may use if `blocks` blocks run on a
// multiprocessor at the same time.
int room_for(int blocks, const kernels::Capacity& device) {
  return std::min(kSharedOfMultiprocessor / blocks - 1024, device.most_shared);
}

// Returns the smallest number that is not below `least` and that equals `value` modulo 16.
int congruent(int least, long long value) {
  const auto rest = static_cast<int>(value % kChunk);
  return least + ((rest - least) % kChunk + kChunk) % kChunk;
}

// Returns a distance in bytes, at least `bytes`, at which neighbours lie in different banks of
// shared memory. If `bytes` is a whole number of chunks (16 bytes), the result is an odd number of
// chunks. Otherwise the result is `bytes`.
int odd(int bytes) { return bytes % kChunk == 0 ? (bytes / kChunk | 1) * kChunk : bytes; }

// `items` items are shared by 1 << shift threads: as many as there are items, rounded up to a power
// of two, but at most the 32 threads of a warp. Returns shift.
int shift_of(int items) {
  int shift = 0;
  while (shift < 5 && 1 << shift < items) ++shift;
  return shift;
}

// Returns in how many chunks of memory (aligned 16 bytes) a run of `bytes` bytes lies at most. If
// `bytes` is a multiple of 16, the run is assumed to begin at the start of a chunk.
int chunks_met(int bytes) { return ceil_div(bytes, kChunk) + (bytes % kChunk != 0); }

// A phase is the outputs whose coordinates have the same remainder modulo the stride. This struct
// describes the inputs that the outputs with one index in all phases read, along one dimension:
// `size` inputs from `first` on. `first` is counted from the input whose index is the index of the
// outputs times the step.
struct Extent {
  int first = 0, size = 0;
};
Extent extent_of(const Axis* axes, int phases) {
  int first = std::numeric_limits<int>::max(), last = std::numeric_limits<int>::min();
  for (int i = 0; i < phases; ++i) {
    if (axes[i].taps == 0) continue;
    first = std::min(first, axes[i].start);
    last = std::max(last, axes[i].start + (axes[i].taps - 1) * axes[i].spacing);
  }
  if (first > last) return {0, 1};
  return {first, last - first + 1};
}

bool fits(const Geometry& g, const Units& units, const Configuration& c) {
  return c.eights == units.eights && units.blocks == 1 && kernels::is_power_of_two(c.groups) &&
         c.groups < 2 * g.groups && c.groups * units.units <= kWarps && c.tile_h >= 1 &&
         c.tile_w >= 1 && c.tile_h <= std::max(1, g.rows[0].outputs) &&
         c.tile_w <= std::max(1, g.columns[0].outputs) && c.tile_h * c.tile_w <= kMostTile;
}

// Chooses the layout in shared memory of the part of a tensor that a tile reads: height x width
// pixels. The part is placed at the offset `at` or later. Returns the offset where the part ends.
// `left` is the leftmost column of the part in the image. `whole` is true if a tile has all columns
// of the outputs.
int place_source(Source& s, int groups, int height, int width, int left, bool whole, int element,
                 bool channels_first, int at) {
  s.at = round_up(at, 128);
  s.pixel_pitch_bytes = (groups * s.chunks | 1) * kChunk;
  s.row_pitch_bytes = width * s.pixel_pitch_bytes;
  s.turn_bytes = channels_first ? 0 : height * s.row_pitch_bytes;
  at = s.at + height * s.row_pitch_bytes + s.turn_bytes;
  s.row_shift = shift_of(width);
  s.load_shift = shift_of(groups * s.chunks);
  if (!channels_first) return at;
  const long long row = static_cast<long long>(s.view.width) * element;
  const long long plane = static_cast<long long>(s.view.channel) * element;
  const int in_h = std::min(height, s.view.height), in_w = std::min(width, s.view.width);
  s.whole_rows = whole && left <= 0 && left + width >= s.view.width;
  // The gap between two runs of pixels in shared memory. Without the gap, copies of two runs might
  // write to the same 16 bytes.
  constexpr int kApart = 2 * kChunk;
  s.raw_row_bytes = s.whole_rows ? static_cast<int>(row) : congruent(in_w * element + kApart, row);
  s.raw_channel_bytes = congruent((in_h - 1) * s.raw_row_bytes + in_w * element + kApart, plane);
  s.raw_at = round_up(at, kChunk);
  s.load_shift = shift_of(chunks_met((s.whole_rows ? in_h : 1) * in_w * element));
  return s.raw_at + groups * s.channels * s.raw_channel_bytes + kApart;
}

// Chooses the layout of shared memory, and returns the number of bytes. If the tile's input has too
// many pixels, returns kUnplaced.
int place(StreamGeometry& s, const Units& units, int element) {
  Geometry& g = s.g;
  int chunks = 0;
  const int phases = g.phases_h * g.phases_w;
  for (int i = 0; i < phases; ++i) {
    s.phase_begin[i] = chunks;
    chunks += implicit::chunks_of(g, g.rows[i / g.phases_w], g.columns[i % g.phases_w]);
  }
  s.phase_begin[phases] = chunks;
  g.filters_at = round_up((chunks + 2) * 4, 128);
  g.filter_pitch_bytes = (chunks | 1) * kChunk;
  // ldmatrix loads sixteen rows and two chunks (16 bytes each) at once, and may read beyond the
  // filters. So shared memory for 8 more rows of filters and, below, for one more chunk is added.
  // The products of these bytes are not used.
  const int rows = g.block_units * units.eights * 8 + 8;

  const Extent h = extent_of(g.rows, g.phases_h), w = extent_of(g.columns, g.phases_w);
  s.first_row = h.first;
  s.first_column = w.first;
  s.halo_h = (g.tile_h - 1) * g.step + h.size;
  s.halo_w = (g.tile_w - 1) * g.step + w.size;
  if (static_cast<long long>(s.halo_h) * s.halo_w > kMostHalo) return kUnplaced;
  s.source.view = g.in;
  s.source.channels = g.group_in;
  s.source.chunks = g.tap_chunks;
  const int at = place_source(s.source, g.block_groups, s.halo_h, s.halo_w, s.first_column,
                              g.tiles_w == 1, element, g.channels_first != 0,
                              g.filters_at + rows * g.filter_pitch_bytes + kChunk);

  const int out_h = std::min(g.tile_h * g.out_step, g.out.height);
  const int out_w = std::min(g.tile_w * g.out_step, g.out.width);
  const int channels = g.block_groups * g.group_out;
  s.staged_at = round_up(at, kChunk);
  if (g.channels_first) {
    const long long out_row = static_cast<long long>(g.out.width) * element;
    const long long out_plane = static_cast<long long>(g.out.channel) * element;
    s.whole_planes = g.tiles_w == 1 && g.tiles_h == 1;
    s.staged_pixel_bytes = element;
    s.staged_row_bytes =
        g.tiles_w == 1 ? static_cast<int>(out_row) : congruent(out_w * element, out_row);
    s.staged_channel_bytes =
        s.whole_planes
            ? static_cast<int>(out_plane)
            : odd(congruent((out_h - 1) * s.staged_row_bytes + out_w * element, out_plane));
    s.store_shift = shift_of(chunks_met((g.tiles_w == 1 ? out_h : 1) * out_w * element));
    if (s.whole_planes) s.store_shift = 5;
    return s.staged_at + channels * s.staged_channel_bytes + kChunk;
  }
  s.store_shift = shift_of(ceil_div(std::int64_t{channels} * element, kChunk));
  const long long pixel = static_cast<long long>(g.out.pixel) * element;
  s.staged_channel_bytes = element;
  s.staged_pixel_bytes = odd(congruent(channels * element, pixel));
  s.staged_row_bytes = congruent(out_w * s.staged_pixel_bytes, pixel % kChunk * g.out.width);
  return s.staged_at + out_h * s.staged_row_bytes + kChunk;
}

const char* layout_of(const Geometry& g) { return g.channels_first != 0 ? "first" : "last"; }

void set_blocks(Geometry& g, const Units& units, const Configuration& c) {
  g.tile_h = c.tile_h;
  g.tile_w = c.tile_w;
  g.tiles_h = ceil_div(g.rows[0].outputs, c.tile_h);
  g.tiles_w = ceil_div(g.columns[0].outputs, c.tile_w);
  g.block_groups = c.groups;
  g.group_blocks = ceil_div(g.groups, c.groups);
  g.units = units.units;
  g.unit_blocks = 1;
  g.block_units = units.units * c.groups;
}

Plan gradient_plan_of(const Problem& p, const Limits& limits, const Configuration& c,
                      const kernels::Capacity& device) {
  Plan plan;
  GradientStream& s = plan.gradient;
  Geometry& g = s.sum.g;
  g = implicit::geometry_of(p, limits);
  const Units units = implicit::units_of(g);
  const int width = implicit::width_of_chunk(p), element = static_cast<int>(size_of(p.x.dtype));
  if (!fits(g, units, c) || c.blocks != 0 || c.sixteens != kGradientSixteens) return plan;
  set_blocks(g, units, c);
  const double items = static_cast<double>(p.batch()) * g.tiles_h * g.tiles_w;
  // A unit is the output channels that a warp computes. M is the number of elements of a filter.
  // Several warps may compute one unit. The m16 tiles of these warps together must have at least M
  // rows.
  const int chunks = implicit::chunks_of(g, g.rows[0], g.columns[0]);
  if (items > kMostItems || c.splits < 1 || c.splits > items ||
      ceil_div(std::int64_t{chunks} * width, 16) > kGradientSixteens * (kWarps / g.block_units))
    return plan;
  const Extent h = extent_of(g.rows, 1), w = extent_of(g.columns, 1);
  s.halo_h = (g.tile_h - 1) * g.step + h.size;
  s.halo_w = (g.tile_w - 1) * g.step + w.size;
  if (static_cast<long long>(s.halo_h) * s.halo_w > kMostHalo) return plan;
  s.x.view = g.in;
  s.x.channels = g.group_in;
  s.x.chunks = g.tap_chunks;
  s.y.view = g.out;
  s.y.channels = g.group_out;
  s.y.chunks = ceil_div(g.group_out, width);
  const bool whole = g.tiles_w == 1, first = g.channels_first != 0;
  int at = place_source(s.x, c.groups, s.halo_h, s.halo_w, w.first, whole, element, first, kChunk);
  at = place_source(s.y, c.groups, c.tile_h, c.tile_w, 0, whole, element, first, at);
  // A unit is the output channels that a warp computes. For each unit, the kernel reads all n8
  // tiles and one n8 tile more, even if the group has fewer channels. These bytes must exist in
  // shared memory.
  const int shared = at + (units.units * units.eights + 1) * 2 * kChunk;
  if (shared > room_for(kGradientBlocks, device)) return plan;
  s.sum.images = static_cast<int>(p.batch());
  s.sum.splits = c.splits;
  plan.shared_bytes = static_cast<unsigned>(shared);
  plan.blocks = static_cast<unsigned>(c.splits) * static_cast<unsigned>(g.group_blocks);
  const std::uint64_t elements = static_cast<std::uint64_t>(g.groups) *
                                 static_cast<unsigned>(g.group_out * width) *
                                 static_cast<unsigned>(chunks);
  plan.workspace =
      kernels::aligned_bytes(elements * sizeof(float) * static_cast<unsigned>(c.splits));
  plan.filters = implicit::filter_view(p);
  plan.sum_kernel = format("atc_implicit_sum_{}", kernels::math_of(p));
  plan.sum_blocks = static_cast<unsigned>((elements + 31) / 32);
  plan.kernel = format("atc_grouped_gradient_{}_{}_{}x{}", layout_of(g), kernels::math_of(p),
                       c.sixteens, c.eights);
  return plan;
}

}  // namespace

int sixteens_of(int /*eights*/) { return 4; }

std::string objection(const Problem& p, const Limits& limits) {
  if (std::string why = implicit::objection(p); !why.empty()) return why;
  if (p.groups == 1) return "it is for groups";
  if (p.x.dtype == Dtype::f32 && !limits.allow_tf32) return "TF32 is not allowed";
  if (limits.alignment < kChunk) return "its tensors are not aligned to 16 bytes";
  const Geometry g = implicit::geometry_of(p, limits);
  if (!g.channels_first && (g.in.vectors == 0 || (implicit::is_gradient(p) && g.out.vectors == 0)))
    return "a group's channels are no whole number of 16 bytes";
  if (implicit::units_of(g).blocks != 1) return "a group has too many channels";
  return "";
}

Plan find_plan(const Problem& p, const Limits& limits, const Configuration& c,
               const kernels::Capacity& device) {
  if (implicit::is_gradient(p)) return gradient_plan_of(p, limits, c, device);
  Plan plan;
  StreamGeometry& s = plan.geometry;
  Geometry& g = s.g;
  g = implicit::geometry_of(p, limits);
  const Units units = implicit::units_of(g);
  if (!fits(g, units, c) || c.splits != 0 || c.blocks < 1 || c.blocks > kMostBlocks ||
      c.sixteens != sixteens_of(c.eights))
    return plan;
  set_blocks(g, units, c);
  s.w = implicit::filter_view(p);
  const double items = static_cast<double>(p.batch()) * g.tiles_h * g.tiles_w;
  if (items > kMostItems) return plan;
  const int shared = place(s, units, static_cast<int>(size_of(p.x.dtype)));
  if (shared > room_for(c.blocks, device)) return plan;
  s.images = static_cast<int>(p.batch());
  s.workers =
      std::clamp(device.multiprocessors * c.blocks / g.group_blocks, 1, static_cast<int>(items));
  plan.shared_bytes = static_cast<unsigned>(shared);
  plan.blocks = static_cast<unsigned>(s.workers) * static_cast<unsigned>(g.group_blocks);
  plan.kernel = format("atc_grouped_{}_{}_{}x{}", g.channels_first ? "first" : "last",
                       kernels::math_of(p), c.sixteens, c.eights);
  return plan;
}

}  // namespace atc::grouped
