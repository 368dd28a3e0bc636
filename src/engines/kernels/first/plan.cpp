#include "engines/kernels/first/plan.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/format.hpp"
#include "engines/kernels/first/shape.hpp"

namespace atc::first {

namespace {

// The bytes of shared memory of a multiprocessor. Each block takes kBlockShared bytes in addition
// to the shared memory of its kernel.
constexpr int kMultiprocessorShared = 228 << 10, kBlockShared = 1 << 10;
// The largest number of blocks whose registers together fit into a multiprocessor.
constexpr int kMostResident = 2;
constexpr int kMostGradientPixels = 1024;  // the most pixels of a tile in backward-weight

// Returns how many bytes of a row one instruction copies: the largest of 16, 8 and 4 to which the
// addresses of all copies are aligned. Returns 0 if they are not even aligned to 4 bytes; then
// elements are copied one by one.
int copy_of(const Geometry& g, std::size_t alignment) {
  const int element = g.slots.element_bytes;
  for (int bytes = 16; bytes >= 4; bytes /= 2)
    if (alignment >= static_cast<std::size_t>(bytes) && g.x.row * element % bytes == 0 &&
        (g.tile_w == g.width || g.tile_w * g.x.step * element % bytes == 0))
      return bytes;
  return 0;
}

void place_input(Geometry& g, std::size_t alignment) {
  const int element = g.slots.element_bytes;
  g.x.copy_bytes = copy_of(g, alignment);
  const int unit = std::max(1, g.x.copy_bytes / element);
  g.x.lead = round_up(g.x.pad, unit);
  const int reach = (g.w.width - 1) * g.w.dilation_w * g.x.pixel + g.x.pixel;
  g.x.width = round_up((g.tile_w - 1) * g.x.step + g.x.lead - g.x.pad + reach, unit);
  // The pitch (the distance between two rows of the input in shared memory) is 80 bytes more than a
  // multiple of 128, so that rows begin in different banks. This matters because the words that one
  // step multiplies belong to several rows.
  constexpr int kBanks = 128, kApart = 80;
  g.x.row_pitch_bytes = round_up(g.x.width * element + kBanks - kApart, kBanks) - kBanks + kApart;
  g.x.rows = (g.tile_h - 1) * g.x.step_h + (g.w.height - 1) * g.w.dilation_h + 1;
  g.x.plane_pitch_bytes = g.x.rows * g.x.row_pitch_bytes;
}

void count_slots(Geometry& g) {
  Slots& slots = g.slots;
  const int rows = g.x.planes * g.w.height;
  slots.run_slots = slots.run_elements;
  if (slots.element_bytes == 2) {
    slots.shift = is_odd(g) ? 0 : (g.x.lead - g.x.pad) % 2;
    slots.run_slots =
        slots.runs == 1 ? (slots.run_elements + slots.shift + 1) / 2 : slots.run_elements / 2 + 1;
  }
  slots.count = rows * slots.runs * slots.run_slots;
}

// Chooses where the filters and the table of their 32-bit words (slots) lie in shared memory.
// Returns the offset of the first byte after the filters.
int place_filters(Geometry& g, const Configuration& c, bool tensor) {
  const int slots = tensor ? round_up(g.slots.count, kStepSlots) : g.slots.count;
  g.steps = tensor ? slots / kStepSlots : slots;
  g.filter_offsets_at = round_up(tensor ? g.steps * 64 : g.steps * 4, 16);
  g.filters_at = round_up(g.filter_offsets_at + slots * (4 / g.slots.element_bytes) * 8, 128);
  return round_up(g.filters_at + slots * c.channels * 4, 128);
}

void choose_vectors(Geometry& g, bool first, std::size_t alignment) {
  const int most = 16 / g.slots.element_bytes;
  if (!first) {
    g.vector = alignment >= 16 && g.channels % most == 0 ? most : 1;
    // If the inputs of neighbouring pixels are 24 bytes (six words) apart, lanes that compute
    // neighbouring pixels have bank conflicts. So each lane then computes every second pixel, which
    // avoids the conflicts.
    g.interleaved = g.x.step * g.slots.element_bytes == 24;
    return;
  }
  const auto fits = [&](int vector) {
    return alignment >=
               static_cast<std::size_t>(vector) * static_cast<std::size_t>(g.slots.element_bytes) &&
           g.height * g.width % vector == 0 &&
           (g.flat || (g.width % vector == 0 && g.tile_w % vector == 0));
  };
  g.vector = most;
  while (g.vector > 1 && !fits(g.vector)) g.vector /= 2;
}

// Sets the tile of a configuration. If the configuration has a number of consecutive pixels
// (`pixels`), this number must be a multiple of `unit`. Returns false if the tile is not valid for
// the problem.
bool set_tile(Geometry& g, const Configuration& c, const Capacity& device, int unit) {
  const int plane = g.height * g.width;
  if (c.pixels != 0) {
    if (c.pixels < 0 || c.pixels % unit != 0 || c.pixels >= plane + unit) return false;
    g.flat = 1;
    g.pixels = c.pixels;
    g.tile_w = g.width;
    const int most_offset = g.width - std::gcd(g.pixels, g.width);
    g.tile_h = std::min(g.height, (most_offset + std::min(c.pixels, plane) - 1) / g.width + 1);
    g.tiles_w = 1;
    g.tiles = ceil_div(plane, c.pixels);
  } else {
    if (c.tile_h < 1 || c.tile_w < 1 || c.tile_h > g.height || c.tile_w > g.width ||
        static_cast<std::int64_t>(c.tile_h) * c.tile_w >= kMostDivided)
      return false;
    g.tile_h = c.tile_h;
    g.tile_w = c.tile_w;
    g.tiles_w = ceil_div(g.width, c.tile_w);
    g.tiles = g.tiles_w * ceil_div(g.height, c.tile_h);
  }
  g.tile_w_inverse = inverse_of(g.tile_w);
  if (g.tile_w + std::max(c.pixels, c.tile_h * c.tile_w) + kPass >= kMostDivided) return false;
  const double input = static_cast<double>(g.tile_w) * g.x.step * g.tile_h * g.x.step_h;
  return input * g.slots.element_bytes <= device.most_shared &&
         static_cast<std::int64_t>(g.tiles) * g.images <= std::numeric_limits<int>::max() / 2;
}

// Chooses the layout of a tile's input in shared memory. Returns false if the input is larger than
// shared memory.
bool place_halo(Geometry& g, const Capacity& device, std::size_t alignment) {
  place_input(g, alignment);
  count_slots(g);
  // The number of bytes that the kernel may read after the end of the input. Masks set these bytes
  // to zeros in the operands.
  constexpr int kBeyond = 32;
  const double bytes = static_cast<double>(g.x.plane_pitch_bytes) * g.x.planes;
  if (bytes > device.most_shared) return false;
  g.halo_bytes = round_up(static_cast<int>(bytes) + kBeyond, 128);
  return true;
}

bool fits(const Geometry& g, const Configuration& c) {
  return (c.channels == 32 || (c.channels == 64 && g.channels > 32)) &&
         (c.stages == 1 || c.stages == 2);
}

// Divides the taps among blocks, and among groups of warps of a block. Returns the number of n8
// tiles of taps that a warp computes.
int share_taps(GradientGeometry& gradient) {
  const int eights = ceil_div(gradient.taps, 8);
  int best = 0, least = std::numeric_limits<int>::max();
  for (const int each : {5, 4}) {
    int groups = 1;
    while (groups < kWarps && groups * each < eights) groups *= 2;
    const int blocks = ceil_div(eights, std::int64_t{groups} * each);
    if (groups * each * blocks >= least) continue;
    least = groups * each * blocks;
    best = each;
    gradient.tap_groups = groups;
    gradient.tap_blocks = blocks;
  }
  return best;
}

Plan gradient_plan(const Problem& p, const Limits& limits, const Configuration& c,
                   const Capacity& device) {
  Plan plan;
  GradientGeometry& gradient = plan.geometry;
  Geometry& g = gradient.g;
  g = geometry_of(p);
  const bool first = all_channels_first(p);
  if (c.staged || c.strips || !fits(g, c) || !set_tile(g, c, device, kGradientPixels)) return plan;
  g.pixels = round_up(pixels_of(g), kGradientPixels);
  if (g.pixels > kMostGradientPixels || c.splits < 1 || c.splits > g.tiles * g.images ||
      !place_halo(g, device, limits.alignment))
    return plan;
  choose_vectors(g, first, limits.alignment);
  g.stages = c.stages;
  g.channel_blocks = ceil_div(g.channels, c.channels);
  gradient.splits = c.splits;
  gradient.taps = g.w.channels * g.w.height * g.w.width;
  const int eights = share_taps(gradient), element = g.slots.element_bytes;
  // The distance between two rows of dy in shared memory is chosen so that reads have no bank
  // conflicts. One read covers pieces of 16 bytes of several rows or, with 32-bit elements and
  // channels last, words of four rows.
  gradient.outputs_pitch_bytes =
      first ? g.pixels * element + 16 : c.channels * element + (element == 2 ? 16 : 32);
  const int outputs = gradient.outputs_pitch_bytes * (first ? c.channels : g.pixels);
  gradient.outputs_at = g.halo_bytes;
  gradient.windows_at = gradient.outputs_at + round_up(outputs, 16);
  gradient.stage_bytes = round_up(gradient.windows_at + g.pixels * 4, 128);
  const int sums = gradient.tap_groups < kWarps
                       ? gradient.tap_groups * c.channels / 16 * eights * 4 * 32 * 4
                       : 0;
  const int shared = std::max(g.stages * gradient.stage_bytes, sums);
  const double blocks = static_cast<double>(c.splits) * gradient.tap_blocks * g.channel_blocks;
  if (shared > device.most_shared || blocks >= 0x80000000u) return plan;
  plan.shared_bytes = static_cast<unsigned>(shared);
  plan.blocks = static_cast<unsigned>(blocks);
  const std::uint64_t elements =
      static_cast<std::uint64_t>(g.channels) * static_cast<unsigned>(gradient.taps);
  plan.workspace =
      kernels::aligned_bytes(elements * sizeof(float) * static_cast<unsigned>(c.splits));
  const char* const math = kernels::math_of(p, limits.allow_tf32);
  plan.kernel = format("atc_first_gradient_{}_{}_{}x{}", math, first ? "first" : "last",
                       c.channels / 16, eights);
  plan.sum_kernel = format("atc_first_sum_{}", math);
  plan.sum_blocks = static_cast<unsigned>((elements + 31) / 32);
  return plan;
}

Plan scatter_plan(const Problem& p, const Limits& limits, const Configuration& c,
                  const Capacity& device) {
  Plan plan;
  ScatterGeometry& s = plan.scatter;
  Geometry& g = s.g;
  g = geometry_of(p);
  const bool first = all_channels_first(p);
  const std::string math = kernels::math_of(p, limits.allow_tf32);
  const int element = g.slots.element_bytes;
  s.width = g.x.row / g.x.pixel;
  s.step = g.x.step / g.x.pixel;
  s.pad = g.x.pad / g.x.pixel;
  if (c.channels != round_up(g.channels, 16) || c.pixels != 0 || c.splits != 0 || c.tile_h < 1 ||
      c.tile_w < 1 || c.tile_h > g.x.height || c.tile_w > s.width || c.staged ||
      (c.stages != 1 && c.stages != 2))
    return plan;
  g.tile_h = c.tile_h;
  g.tile_w = c.tile_w;
  s.tiles_h = ceil_div(g.x.height, c.tile_h);
  s.tiles_w = ceil_div(s.width, c.tile_w);
  const int common = std::gcd(s.step, g.w.dilation_w);
  s.tap_step = s.step / common;
  s.output_step = g.w.dilation_w / common;
  s.channels = math == "fp32" ? g.channels : round_up(g.channels, 32 / element);
  s.taps = g.w.channels * g.w.height * g.w.width;
  s.sixteens = round_up(ceil_div(s.taps, 16), 2);
  s.ring_rows = std::max((g.w.height - 1) * g.w.dilation_h + 1, g.x.step_h);
  const int row = (first ? g.width : g.channels) * element;
  for (int bytes = 16; bytes >= (first ? 4 : 16) && s.copy_bytes == 0; bytes /= 2)
    if (limits.alignment >= static_cast<std::size_t>(bytes) && row % bytes == 0)
      s.copy_bytes = bytes;
  s.unit = first ? std::max(1, s.copy_bytes / element) : 1;
  const int most =
      std::min(g.width, (c.tile_w - 1 + (g.w.width - 1) * g.w.dilation_w) / s.step + s.unit);
  const int pixels = round_up(most, 32);
  // The distance between two rows of dy in shared memory is chosen so that reads have no bank
  // conflicts. One read covers pieces of 16 bytes of several rows, or words of four rows.
  s.outputs_pitch_bytes =
      first ? pixels * element + (element == 2 ? 16 : 32) : round_up(s.channels * element, 16) + 16;
  s.products_pitch_words = pixels + 8;
  const double bytes = static_cast<double>(s.outputs_pitch_bytes) * (first ? s.channels : pixels);
  const double products = static_cast<double>(s.taps) * s.products_pitch_words * 4;
  const double ring = static_cast<double>(g.w.channels) * s.ring_rows * c.tile_w * 4;
  const double filters = static_cast<double>(s.sixteens) * 16 * s.channels * element;
  if (bytes + products + ring + filters > device.most_shared) return plan;
  s.filters_at = round_up(s.sixteens * 16 * 8, 128);
  s.meets_at = round_up(s.filters_at + static_cast<int>(filters), 128);
  s.ring_at = round_up(s.meets_at + c.tile_w * 8, 128);
  s.products_at = round_up(s.ring_at + static_cast<int>(ring), 128);
  s.stages_at = round_up(s.products_at + static_cast<int>(products), 128);
  s.stage_bytes = round_up(static_cast<int>(bytes), 128);
  g.stages = c.stages;
  const int shared = s.stages_at + c.stages * s.stage_bytes;
  const double blocks = static_cast<double>(g.images) * s.tiles_h * s.tiles_w;
  if (shared > device.most_shared || blocks >= 0x80000000u) return plan;
  plan.shared_bytes = static_cast<unsigned>(shared);
  plan.blocks = static_cast<unsigned>(blocks);
  plan.kernel = format("atc_first_scatter_{}_{}", math, first ? "first" : "last");
  return plan;
}

}  // namespace

int resident(int shared_bytes) {
  return std::min(kMostResident, kMultiprocessorShared / (shared_bytes + kBlockShared));
}

Plan find_plan(const Problem& p, const Limits& limits, const Configuration& c,
               const Capacity& device) {
  if (is_gradient(p)) return gradient_plan(p, limits, c, device);
  if (c.strips) return strips_plan(p, limits, c, device);
  if (is_scatter(p)) return scatter_plan(p, limits, c, device);
  Plan plan;
  Geometry& g = plan.geometry.g;
  g = geometry_of(p);
  const bool first = all_channels_first(p);
  const std::string math = kernels::math_of(p, limits.allow_tf32);
  if (c.splits != 0 || (c.staged && !first) || !fits(g, c) || !set_tile(g, c, device, kPass) ||
      !place_halo(g, device, limits.alignment))
    return plan;
  choose_vectors(g, first, limits.alignment);
  g.halo_at = place_filters(g, c, math != "fp32");
  g.stages = c.stages;
  const int inputs = g.halo_at + g.stages * g.halo_bytes;
  if (c.staged) g.outputs_at = inputs;
  const int shared =
      inputs + (c.staged ? c.channels * outputs_pitch_bytes(g.slots.element_bytes) : 0);
  // The kernel also has a static array with its biases in shared memory. The dynamic shared memory
  // begins after this array, at the next multiple of 1024 bytes (dynamic_shared in ptx.cuh).
  constexpr int kSharedAlignment = 1024;
  const int biases = round_up(c.channels * static_cast<int>(sizeof(float)), kSharedAlignment);
  if (shared + biases > device.most_shared) return plan;
  plan.shared_bytes = static_cast<unsigned>(shared);
  g.channel_blocks = ceil_div(g.channels, c.channels);
  const int at_once = std::max(1, device.multiprocessors * resident(shared) / g.channel_blocks);
  plan.blocks = static_cast<unsigned>(std::min(g.tiles * g.images, at_once) * g.channel_blocks);
  plan.kernel = format("atc_first_{}_{}_{}{}", math, first ? "first" : "last", c.channels / 16,
                       is_odd(g) ? "_odd" : "");
  return plan;
}

}  // namespace atc::first
