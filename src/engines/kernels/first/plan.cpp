#include "engines/kernels/first/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/error.hpp"
#include "engines/kernels/first/shape.hpp"

namespace atc::first {

namespace {

constexpr int kMostShared = 227 << 10;          // bytes of a block
constexpr int kMultiprocessorShared = 228 << 10, kBlockShared = 1 << 10;  // the second: besides
constexpr int kMostResident = 2;                // blocks on a multiprocessor, by their registers
constexpr std::size_t kMostOffers = 4;

const char* math_of(const Problem& p, const Limits& limits) {
  if (p.x.dtype == Dtype::f32) return limits.allow_tf32 ? "tf32" : "fp32";
  return p.x.dtype == Dtype::f16 ? "f16" : "bf16";
}

int resident(int shared) {
  return std::min(kMostResident, kMultiprocessorShared / (shared + kBlockShared));
}

// Bytes up to `most` that both ends of each copy of a row are aligned to; 0: not even four.
int copy_of(const Geometry& g, std::size_t alignment) {
  const int element = g.slots.element;
  for (int bytes = 16; bytes >= 4; bytes /= 2)
    if (alignment >= static_cast<std::size_t>(bytes) && g.x.row * element % bytes == 0 &&
        (g.tile_w == g.width || g.tile_w * g.x.step * element % bytes == 0))
      return bytes;
  return 0;
}

void place_input(Geometry& g, std::size_t alignment) {
  const int element = g.slots.element;
  g.x.copy = copy_of(g, alignment);
  const int unit = std::max(1, g.x.copy / element);
  g.x.lead = round_up(g.x.pad, unit);
  const int reach = (g.w.width - 1) * g.w.dilation_w * g.x.pixel + g.x.pixel;
  g.x.width = round_up((g.tile_w - 1) * g.x.step + g.x.lead - g.x.pad + reach, unit);
  // Rows a few banks apart, for slots of different rows in one step.
  constexpr int kBanks = 128, kApart = 80;
  g.x.row_pitch = round_up(g.x.width * element + kBanks - kApart, kBanks) - kBanks + kApart;
  g.x.rows = (g.tile_h - 1) * g.x.step_h + (g.w.height - 1) * g.w.dilation_h + 1;
  g.x.plane_pitch = g.x.rows * g.x.row_pitch;
}

void count_slots(Geometry& g) {
  Slots& slots = g.slots;
  const int rows = g.x.planes * g.w.height;
  slots.run_slots = slots.run_elements;
  if (slots.element == 2) {
    slots.shift = is_odd(g) ? 0 : (g.x.lead - g.x.pad) % 2;
    slots.run_slots = slots.runs == 1 ? (slots.run_elements + slots.shift + 1) / 2
                                      : slots.run_elements / 2 + 1;
  }
  slots.count = rows * slots.runs * slots.run_slots;
}

// Shared memory without the inputs.
int place_filters(Geometry& g, const Configuration& c, bool tensor) {
  const int slots = tensor ? round_up(g.slots.count, kStepSlots) : g.slots.count;
  g.steps = tensor ? slots / kStepSlots : slots;
  g.filter_offsets_at = round_up(tensor ? g.steps * 64 : g.steps * 4, 16);
  g.filters_at =
      round_up(g.filter_offsets_at + slots * (4 / g.slots.element) * 8, 128);
  return round_up(g.filters_at + slots * c.channels * 4, 128);
}

void choose_vectors(Geometry& g, bool first, std::size_t alignment) {
  const int most = 16 / g.slots.element;
  if (!first) {
    g.vector = alignment >= 16 && g.channels % most == 0 ? most : 1;
    // Pixels six words apart meet in banks, every second pixel's do not.
    g.interleaved = g.x.step * g.slots.element == 24;
    return;
  }
  const auto fits = [&](int vector) {
    return alignment >= static_cast<std::size_t>(vector * g.slots.element) &&
           g.height * g.width % vector == 0 &&
           (g.flat || (g.width % vector == 0 && g.tile_w % vector == 0));
  };
  g.vector = most;
  while (g.vector > 1 && !fits(g.vector)) g.vector /= 2;
}

}  // namespace

Plan find_plan(const Problem& p, const Limits& limits, const Configuration& c,
               int multiprocessors) {
  Plan plan;
  Geometry& g = plan.geometry;
  g = geometry_of(p);
  const bool first = all_channels_first(p);
  const std::string math = math_of(p, limits);
  const int plane = g.height * g.width;
  if ((c.channels != 32 && c.channels != 64) || (c.stages != 1 && c.stages != 2) ||
      (c.channels == 64 && g.channels <= 32))
    return plan;
  if (c.pixels != 0) {
    if (c.pixels < 0 || c.pixels % kPass != 0 || (c.pixels >= plane + kPass)) return plan;
    g.flat = 1;
    g.pixels = c.pixels;
    g.tile_w = g.width;
    const int most_offset = g.width - std::gcd(g.pixels, g.width);
    g.tile_h = std::min(g.height, (most_offset + std::min(c.pixels, plane) - 1) / g.width + 1);
    g.tiles_w = 1;
    g.tiles = ceil_div(plane, c.pixels);
  } else {
    if (c.tile_h < 1 || c.tile_w < 1 || c.tile_h > g.height || c.tile_w > g.width) return plan;
    g.tile_h = c.tile_h;
    g.tile_w = c.tile_w;
    g.tiles_w = ceil_div(g.width, c.tile_w);
    g.tiles = g.tiles_w * ceil_div(g.height, c.tile_h);
  }
  if (static_cast<std::int64_t>(g.tiles) * g.images > std::numeric_limits<int>::max() / 2)
    return plan;
  // What may be read beyond a row's end, by masked halves of words.
  constexpr int kBeyond = 32;
  const double halo = static_cast<double>(g.tile_w) * g.x.step * g.tile_h * g.x.step_h;
  if (halo * g.slots.element > kMostShared) return plan;
  place_input(g, limits.alignment);
  count_slots(g);
  choose_vectors(g, first, limits.alignment);
  const double bytes = static_cast<double>(g.x.plane_pitch) * g.x.planes;
  if (bytes > kMostShared) return plan;
  g.halo_bytes = round_up(static_cast<int>(bytes) + kBeyond, 128);
  g.halo_at = place_filters(g, c, math != "fp32");
  g.stages = c.stages;
  const int shared = g.halo_at + g.stages * g.halo_bytes;
  if (shared > kMostShared) return plan;
  plan.shared_bytes = static_cast<unsigned>(shared);
  g.channel_blocks = ceil_div(g.channels, c.channels);
  const int at_once = std::max(1, multiprocessors * resident(shared) / g.channel_blocks);
  plan.blocks = static_cast<unsigned>(std::min(g.tiles * g.images, at_once) * g.channel_blocks);
  plan.kernel = fmt::format("atc_first_{}_{}_{}{}", math, first ? "first" : "last",
                            c.channels / 16, is_odd(g) ? "_odd" : "");
  return plan;
}

Plan make_plan(const Problem& problem, const Limits& limits, const Configuration& configuration,
               int multiprocessors) {
  if (const std::string why = objection(problem); !why.empty())
    fail(Status::unsupported, "engine first does not serve this problem: {}", why);
  Plan plan = find_plan(problem, limits, configuration, multiprocessors);
  if (plan.kernel.empty())
    fail(Status::unsupported, "engine first has no configuration '{}' for this problem",
         to_string(configuration));
  return plan;
}

namespace {

// What a plan takes, in clocks of a multiprocessor: input from the L2 cache, products, outputs to
// memory, of which some are hidden behind others where blocks share a multiprocessor or inputs are
// loaded ahead.
double cost(const Problem& p, const Plan& plan, const Configuration& c, int multiprocessors) {
  const Geometry& g = plan.geometry;
  const int pixels = g.flat ? g.pixels : g.tile_h * g.tile_w;
  const double load = 200.0 + static_cast<double>(g.x.width) * g.x.rows * g.x.planes *
                                  g.slots.element / 24;
  const double passes = ceil_div(pixels, kPass);
  const double products = passes * g.steps * c.channels * (is_word(p) ? 0.8 : 0.8);
  const double stores = static_cast<double>(pixels) * c.channels * g.slots.element / 18;
  const int blocks = resident(static_cast<int>(plan.shared_bytes));
  const double busy = std::max(products, stores);
  const double exposed = g.stages == 2 ? 0.3 : blocks > 1 ? 0.6 : 1.0;
  const double tile = busy + exposed * load + (blocks > 1 ? 0.0 : 0.4 * busy);
  const double tiles = static_cast<double>(g.tiles) * g.images * g.channel_blocks;
  // Several blocks on a multiprocessor share its clocks.
  const double each = std::max(1.0, tiles / (static_cast<double>(multiprocessors)));
  return std::ceil(each) * tile;
}

}  // namespace

std::vector<Configuration> configurations(const Problem& problem, const Limits& limits,
                                          int multiprocessors) {
  const Geometry g = geometry_of(problem);
  std::vector<std::pair<double, Configuration>> found;
  const auto consider = [&](Configuration c) {
    for (const int stages : {2, 1}) {
      c.stages = stages;
      const Plan plan = find_plan(problem, limits, c, multiprocessors);
      if (!plan.kernel.empty()) found.emplace_back(cost(problem, plan, c, multiprocessors), c);
    }
  };
  Configuration c;
  c.channels = g.channels > 32 ? 64 : 32;
  for (int passes = 1; passes <= 8; passes *= 2) {
    Configuration flat = c;
    flat.pixels = passes * kPass;
    consider(flat);
    for (int w = 16; w < 2 * g.width && w <= 512; w *= 2) {
      Configuration tile = c;
      tile.tile_w = std::min(w, g.width);
      tile.tile_h = std::min(g.height, passes * kPass / tile.tile_w);
      if (tile.tile_h > 0) consider(tile);
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Configuration> result;
  for (const auto& [price, configuration] : found)
    if (result.size() < kMostOffers &&
        std::find(result.begin(), result.end(), configuration) == result.end())
      result.push_back(configuration);
  return result;
}

}  // namespace atc::first
