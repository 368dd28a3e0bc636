#include "engines/kernels/implicit/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "core/error.hpp"

namespace atc::implicit {

namespace {

constexpr int kMostShared = 96 << 10;       // bytes of a block: two are on a multiprocessor at once
constexpr int kResidentFilters = 40 << 10;  // bytes up to which all stages are one
constexpr int kStage = 20 << 10;
constexpr std::int64_t kMostGroup = 256;  // channels of a group, in or out
constexpr int kMostTap = 256;             // taps of a filter
constexpr int kMostUnits = kWarps, kMostEights = 4;
constexpr std::size_t kMostOffers = 4;
constexpr int kGradientSixteens = 5, kMostGradientTile = 256, kMostTile = 512;  // pixels
constexpr std::uint64_t kMostParts = 64 << 20;  // bytes of a gradient's parts

int ceil_div(std::int64_t value, std::int64_t by) {
  return static_cast<int>((value + by - 1) / by);
}

// A spatial dimension as one of two: the first of a problem with one is of extent 1.
struct Dimension {
  int in = 1, out = 1, kernel = 1, stride = 1, dilation = 1, pad = 0;
};
Dimension dimension(const Problem& p, int d) {
  Dimension result;
  const int index = p.spatial == 2 ? d : d - 1;
  if (index < 0) return result;
  const auto i = static_cast<std::size_t>(index);
  result.in = static_cast<int>(p.in(index));
  result.out = static_cast<int>(p.out(index));
  result.kernel = static_cast<int>(p.kernel(index));
  result.stride = static_cast<int>(p.stride[i]);
  result.dilation = static_cast<int>(p.dilation[i]);
  result.pad = static_cast<int>(p.pad_low[i]);
  return result;
}

bool gradient(const Problem& p) { return p.direction == Direction::backward_weight; }
bool backwards(const Problem& p) { return p.direction == Direction::backward_data; }
int width_of_chunk(const Problem& p) { return kChunk / static_cast<int>(size_of(p.x.dtype)); }
bool all_channels_first(const Problem& p) { return p.x.channels_first() && p.y.channels_first(); }
bool all_channels_last(const Problem& p) { return p.x.channels_last() && p.y.channels_last(); }

// Channels of a group that are read and written; a gradient reads both.
int group_in(const Problem& p) {
  return static_cast<int>((backwards(p) ? p.channels_out() : p.channels_in()) / p.groups);
}
int group_out(const Problem& p) {
  return static_cast<int>((backwards(p) ? p.channels_in() : p.channels_out()) / p.groups);
}

bool paired(const Problem& p) {
  return size_of(p.x.dtype) == 2 && p.groups == 1 && group_in(p) <= 4 && !backwards(p) &&
         dimension(p, 1).dilation == 1;
}

Axis forward_axis(const Dimension& d) {
  Axis axis;
  axis.outputs = d.out;
  axis.taps = d.kernel;
  axis.start = -d.pad;
  axis.spacing = d.dilation;
  axis.filter_step = 1;
  return axis;
}

// Input position phase + i * stride meets tap r in output (phase + i * stride + pad - r * dilation)
// / stride, where that is whole: last taps come first then.
Axis backward_axis(const Dimension& d, int phase) {
  Axis axis;
  axis.outputs = std::max(0, ceil_div(d.in - phase, d.stride));
  int last = -1;
  for (int r = 0; r < d.kernel; ++r)
    if ((phase + d.pad - r * d.dilation) % d.stride == 0) {
      ++axis.taps;
      last = r;
    }
  if (axis.taps == 0) return axis;
  const int common = std::gcd(d.stride, d.dilation);
  axis.start = (phase + d.pad - last * d.dilation) / d.stride;
  axis.spacing = d.dilation / common;
  axis.filter_start = last;
  axis.filter_step = -d.stride / common;
  return axis;
}

View view_of(const Problem& p, const Tensor& tensor, bool first) {
  View view;
  view.height = p.spatial == 2 ? static_cast<int>(tensor.shape[2]) : 1;
  view.width = static_cast<int>(tensor.shape[static_cast<std::size_t>(tensor.rank - 1)]);
  const auto channels = static_cast<int>(tensor.shape[1]);
  const int plane = view.height * view.width;
  view.image = static_cast<long long>(channels) * plane;
  view.channel = first ? plane : 1;
  view.pixel = first ? 1 : channels;
  return view;
}

// The part of a geometry that no configuration changes.
Geometry geometry_of(const Problem& p, const Limits& limits) {
  Geometry g;
  const bool first = all_channels_first(p), back = backwards(p);
  const int width = width_of_chunk(p);
  g.channels_first = first;
  g.in = view_of(p, back ? p.y : p.x, first);
  g.out = view_of(p, back ? p.x : p.y, first);
  g.groups = static_cast<int>(p.groups);
  g.group_in = group_in(p);
  g.group_out = group_out(p);
  g.paired = paired(p);
  g.tap_chunks = g.paired ? 1 : ceil_div(g.group_in, width);
  g.has_bias = p.epilogue != Epilogue::none;
  g.relu = p.epilogue == Epilogue::bias_relu;
  const bool aligned = limits.alignment >= kChunk;
  g.in.vectors = aligned && !first && !g.paired && g.group_in % width == 0;
  if (gradient(p))
    g.out.vectors = aligned && !first && g.group_out % width == 0;
  else
    g.out.vectors = aligned && (first ? g.out.channel : g.out.pixel) % width == 0;
  Dimension h = dimension(p, 0);
  const Dimension w = dimension(p, 1);
  if (p.spatial == 1) h.stride = w.stride;  // of one element: any is right
  if (back) {
    g.out_step = w.stride;
    g.phases_h = std::min(h.stride, h.in);
    g.phases_w = std::min(w.stride, w.in);
    for (int i = 0; i < g.phases_h; ++i) g.rows[i] = backward_axis(h, i);
    for (int i = 0; i < g.phases_w; ++i) g.columns[i] = backward_axis(w, i);
  } else {
    g.step = w.stride;
    g.rows[0] = forward_axis(h);
    g.columns[0] = forward_axis(w);
  }
  return g;
}

FilterView filter_view(const Problem& p) {
  FilterView view;
  const auto& strides = p.w.strides;
  view.strides[0] = strides[0];
  view.strides[1] = strides[1];
  view.strides[2] = p.spatial == 2 ? strides[2] : 0;
  view.strides[3] = strides[static_cast<std::size_t>(p.w.rank - 1)];
  view.transposed = backwards(p);
  return view;
}

// How a group's output channels are parted among warps.
struct Units {
  int eights = 0, units = 0, blocks = 1;
};
Units units_of(const Geometry& g) {
  const int eights = ceil_div(g.group_out, 8);
  Units result;
  result.units = 1;
  while (result.units < kMostUnits && result.units * kMostEights < eights) result.units *= 2;
  result.eights = std::min(kMostEights, ceil_div(eights, result.units));
  if (g.paired) result.eights = std::max(result.eights, 3);
  result.blocks = ceil_div(eights, result.units * result.eights);
  return result;
}

int sixteens_of(const Units& units) { return units.eights <= 2 ? 8 : 4; }

// The largest extents over all phases.
Axis longest(const Axis (&axes)[kMostPhases]) {
  Axis result;
  for (const Axis& axis : axes) {
    result.outputs = std::max(result.outputs, axis.outputs);
    result.taps = std::max(result.taps, axis.taps);
    result.spacing = std::max(result.spacing, axis.spacing);
  }
  return result;
}

int halo(int tile, int step, const Axis& axis) {
  return (tile - 1) * step + std::max(0, axis.taps - 1) * axis.spacing + 1;
}

// A tile of a geometry whose blocks' groups and units are known: pitches and places in shared
// memory. The bytes up to the halo's end.
int place_halo(Geometry& g, int at) {
  const Axis rows = longest(g.rows), columns = longest(g.columns);
  const int height = halo(g.tile_h, g.step, rows), width = halo(g.tile_w, g.step, columns);
  g.halo_at = round_up(at, 128);
  if (g.paired) {
    g.pixel_pitch = kChunk / 2;
    g.row_pitch = round_up((width + 1) * g.pixel_pitch, kChunk);
  } else {
    // An odd number of chunks: neighbouring pixels are in different banks.
    g.pixel_pitch = (g.block_groups * g.tap_chunks | 1) * kChunk;
    g.row_pitch = width * g.pixel_pitch;
  }
  int bytes = height * g.row_pitch;
  if (g.paired && g.step % 2 != 0) {
    g.shifted_copy = round_up(bytes, 128) + 64;
    bytes += g.shifted_copy;
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

bool power_of_two(int value) { return value > 0 && (value & (value - 1)) == 0; }

// Whether a configuration is one of the geometry's, as far as that is not a matter of space.
bool fits(const Geometry& g, const Units& units, const Configuration& c) {
  const Axis rows = longest(g.rows), columns = longest(g.columns);
  return c.eights == units.eights && power_of_two(c.groups) && c.groups < 2 * g.groups &&
         c.groups * units.units <= kMostUnits && (units.blocks == 1 || c.groups == 1) &&
         c.tile_h >= 1 && c.tile_w >= 1 && c.tile_h <= std::max(1, rows.outputs) &&
         c.tile_w <= std::max(1, columns.outputs);
}

const char* factors_of(const Problem& p) {
  return p.x.dtype == Dtype::f16 ? "f16" : p.x.dtype == Dtype::bf16 ? "bf16" : "tf32";
}

bool own_filters_serve(const Problem& p, const Limits& limits, const Geometry& g) {
  return p.direction == Direction::forward && size_of(p.x.dtype) == 2 && !g.paired &&
         p.w.channels_last() && g.group_in % width_of_chunk(p) == 0 && limits.alignment >= kChunk;
}

int shared_of_forward(Geometry& g, const Units& units, int element) {
  int chunks = 0;
  for (int i = 0; i < g.phases_h; ++i)
    for (int k = 0; k < g.phases_w; ++k)
      chunks = std::max(chunks, chunks_of(g, g.rows[i], g.columns[k]));
  const int rows = g.block_units * units.eights * 8;
  // An odd number of chunks in a row, for the banks; stages of an even one.
  const auto pitch = [](int count) { return (count | 1) * kChunk; };
  int stages = 1;
  g.stage_chunks = std::max(chunks, 1);
  if (rows * pitch(chunks) > kResidentFilters) {
    g.stage_chunks = std::max(2, (kStage / (rows * kChunk) - 1) / 2 * 2);
    stages = 2;
  }
  g.filter_pitch = pitch(g.stage_chunks);
  g.stage_bytes = round_up(rows * g.filter_pitch, 128);
  g.filters_at = round_up(round_up(std::max(chunks, 2), 2) * 4, 128);
  // Sixteen rows are loaded at once, with the chunk after a row's last.
  const int beyond = 8 * g.filter_pitch + kChunk;
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
  gradient.out_pitch = (g.block_groups * gradient.out_chunks | 1) * kChunk;
  // Units read all their channels, and one more eight, though the group has less.
  const int beyond = (units.units * units.eights + 1) * 2 * kChunk;
  return place_halo(g, gradient.out_at + pixels * gradient.out_pitch + beyond);
}

int gradient_row_blocks(const Geometry& g, int width, int groups, int units) {
  const int elements = chunks_of(g, g.rows[0], g.columns[0]) * width;
  return ceil_div(ceil_div(elements, 16), kGradientSixteens * (kWarps / (groups * units)));
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
  plan.workspace = (elements * sizeof(float) * static_cast<unsigned>(c.splits) + 255) / 256 * 256;
  plan.kernel = fmt::format("atc_implicit_gradient_{}_{}x{}{}", factors_of(p), c.sixteens, c.eights,
                            g.paired ? "_pairs" : "");
  plan.filter_kernel = fmt::format("atc_implicit_sum_{}", factors_of(p));
  plan.filter_blocks = static_cast<unsigned>((elements + 31) / 32);
  return plan;
}

Plan plan_of(const Problem& p, const Limits& limits, const Configuration& c) {
  if (gradient(p)) return gradient_plan_of(p, limits, c);
  Plan plan;
  Geometry& g = plan.geometry.g;
  g = geometry_of(p, limits);
  plan.filters = filter_view(p);
  const Units units = units_of(g);
  if (!fits(g, units, c)) return plan;
  set_blocks(g, units, c);
  const int pixels = c.tile_h * c.tile_w;
  if (c.splits != 0 || c.sixteens != sixteens_of(units) ||
      pixels > 16 * c.sixteens * (kWarps / g.block_units))
    return plan;
  const auto element = static_cast<int>(size_of(p.x.dtype));
  const int shared = shared_of_forward(g, units, element);
  const double blocks = static_cast<double>(p.batch()) * g.phases_h * g.phases_w * g.tiles_h *
                        g.tiles_w * g.group_blocks * g.unit_blocks;
  if (shared > kMostShared || blocks >= 0x80000000u) return plan;
  plan.shared_bytes = static_cast<unsigned>(shared);
  plan.blocks = static_cast<unsigned>(blocks);
  plan.kernel = fmt::format("atc_implicit_{}_{}x{}{}", factors_of(p), c.sixteens, c.eights,
                            g.paired ? "_pairs" : "");
  if (own_filters_serve(p, limits, g)) return plan;
  std::uint64_t bytes = 0, most = 0;
  for (int i = 0; i < g.phases_h; ++i)
    for (int k = 0; k < g.phases_w; ++k) {
      g.phase_filters[i * kMostPhases + k] = static_cast<long long>(bytes);
      const std::uint64_t size =
          static_cast<std::uint64_t>(g.groups) * static_cast<unsigned>(g.group_out) *
          static_cast<unsigned>(chunks_of(g, g.rows[i], g.columns[k])) * kChunk;
      bytes += (size + 255) / 256 * 256;
      most = std::max(most, size);
    }
  plan.workspace = bytes;
  plan.filter_kernel = fmt::format("atc_implicit_pack_{}", factors_of(p));
  plan.filter_blocks = static_cast<unsigned>(
      std::clamp<std::uint64_t>(most / size_of(p.x.dtype) / kThreads, 1, 2048));
  plan.filter_blocks_y = static_cast<unsigned>(g.phases_h * g.phases_w);
  return plan;
}

// What a tile costs for each of its outputs, in no unit: the input that is loaded, and products by
// sixteens of pixels for all warps.
double cost(const Geometry& g, const Configuration& c, int sixteens) {
  const Axis rows = longest(g.rows), columns = longest(g.columns);
  const int th = ceil_div(rows.outputs, c.tile_h), tw = ceil_div(columns.outputs, c.tile_w);
  const double inputs =
      halo(c.tile_h, g.step, rows) * static_cast<double>(halo(c.tile_w, g.step, columns));
  const int warps = std::max(1, sixteens / 8);  // that share the pixels
  const int used = ceil_div(ceil_div(c.tile_h * c.tile_w, 16), warps) * warps;
  return th * static_cast<double>(tw) * (inputs + 16.0 * used * 0.5 + 32);
}

// The best tile of up to `most` pixels.
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
          value < least && !plan_of(p, limits, c).kernel.empty()) {
        least = value;
        best = c;
      }
    }
  }
  c = best;
  return least < std::numeric_limits<double>::infinity();
}

// So many that two blocks are on each multiprocessor, as far as there are tiles and memory for
// that.
int splits_for(const Problem& p, const Limits& limits, const Configuration& c,
               int multiprocessors) {
  const Plan one = gradient_plan_of(p, limits, c);
  const Geometry& g = one.geometry.g;
  const double tiles = static_cast<double>(p.batch()) * g.tiles_h * g.tiles_w;
  const std::uint64_t room = std::min(kMostParts, limits.workspace) / one.workspace;
  const double wanted = std::min(2.0 * multiprocessors / one.blocks, static_cast<double>(room));
  return static_cast<int>(std::clamp(wanted, 1.0, tiles));
}

}  // namespace

std::string objection(const Problem& p, const Limits& limits) {
  const Dtype dtype = p.x.dtype;
  if (p.w.dtype != dtype || p.y.dtype != dtype) return "its tensors are of different types";
  if (dtype == Dtype::f32 && !limits.allow_tf32)
    return "it multiplies f32 as TF32 alone, which is not allowed";
  if (p.spatial > 2) return "it has no kernels for three spatial dimensions";
  if (p.accumulate) return "it adds to no old output";
  const bool grouped = p.groups > 1 && p.groups < p.channels_in() && p.groups < p.channels_out();
  const bool first = p.groups == 1 && p.channels_in() <= 4;
  if (!grouped && !first) return "it is for groups of channels and for up to four input channels";
  if (!all_channels_first(p) && !all_channels_last(p))
    return "x and y must be dense, both channels first or both channels last";
  if (std::max(group_in(p), group_out(p)) > kMostGroup)
    return fmt::format("a group has more than {} channels", kMostGroup);
  for (const Tensor* tensor : {&p.x, &p.y}) {
    std::int64_t image = 1;
    for (int d = 1; d < tensor->rank; ++d) image *= tensor->shape[static_cast<std::size_t>(d)];
    if (image >= std::int64_t{1} << 30) return "an image has more than 2^30 elements";
    if (tensor->elements() == 0) return "a tensor is empty";
  }
  std::int64_t taps = 1;
  for (int d = 0; d < p.spatial; ++d) {
    const auto i = static_cast<std::size_t>(d);
    taps *= p.kernel(d);
    constexpr std::int64_t kMost = 1 << 20;
    if (p.stride[i] > kMostPhases || p.dilation[i] > 64 || p.pad_low[i] > kMost ||
        p.pad_low[i] < -kMost || p.kernel(d) > kMostTap)
      return "its window is too large";
    if (p.stride[i] != p.stride[0]) return "its strides differ";
  }
  if (taps > kMostTap) return fmt::format("its filter has more than {} taps", kMostTap);
  return "";
}

std::vector<Configuration> configurations(const Problem& problem, const Limits& limits,
                                          int multiprocessors) {
  std::vector<Configuration> result;
  const Geometry g = geometry_of(problem, limits);
  const Units units = units_of(g);
  int most_groups = 1;
  while (units.blocks == 1 && most_groups * units.units < kMostUnits && most_groups < g.groups)
    most_groups *= 2;
  for (int groups = most_groups; groups > 0 && result.size() < kMostOffers; groups /= 2)
    for (const int share : {1, 2}) {
      Configuration c;
      c.eights = units.eights;
      c.groups = groups;
      int most = kMostGradientTile / share;
      if (gradient(problem)) {
        c.sixteens = kGradientSixteens;
        c.splits = 1;
      } else {
        c.sixteens = sixteens_of(units);
        most = std::min(kMostTile, 16 * c.sixteens * (kWarps / (units.units * groups)) / share);
      }
      if (!choose_tile(problem, limits, c, most)) continue;
      if (gradient(problem)) c.splits = splits_for(problem, limits, c, multiprocessors);
      if (plan_of(problem, limits, c).workspace > limits.workspace) continue;
      if (std::find(result.begin(), result.end(), c) == result.end()) result.push_back(c);
    }
  return result;
}

Plan make_plan(const Problem& problem, const Limits& limits, const Configuration& configuration) {
  if (const std::string why = objection(problem, limits); !why.empty())
    fail(Status::unsupported, "engine implicit does not serve this problem: {}", why);
  Plan plan = plan_of(problem, limits, configuration);
  if (plan.kernel.empty())
    fail(Status::unsupported, "engine implicit has no configuration '{}' for this problem",
         to_string(configuration));
  return plan;
}

}  // namespace atc::implicit
