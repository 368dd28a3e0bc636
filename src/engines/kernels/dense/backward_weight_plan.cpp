#include "engines/kernels/dense/backward_weight_plan.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "core/format.hpp"
#include "engines/kernels/configuration_form.hpp"
#include "engines/kernels/dense/backward_weight_geometry.hpp"
#include "engines/kernels/images.hpp"
#include "engines/kernels/window.hpp"

namespace atc::dense {

namespace {

using kernels::ceil_div;

constexpr std::int64_t kMostExtent = std::int64_t{1} << 30;
// The smallest number of input or output channels for which the kernels are used. With fewer
// channels, most of a tile (64 x 64 channels) would be empty.
constexpr std::int64_t kLeastChannels = 16;
constexpr std::int64_t kMostTaps = 32;  // the most taps of a filter along a dimension
constexpr std::int64_t kMostSplits = 4096;
// The most bytes that the partials of all splits may have.
constexpr std::uint64_t kMostParts = 256 << 20;
// The most bytes of shared memory that a block may have.
constexpr int kMostShared = 227 << 10;
constexpr std::size_t kMostOffers = 4;

using Configuration = WeightConfiguration;
using Field = kernels::Field<Configuration>;

constexpr Field kForm[] = {{"wgmma_bw_u", &Configuration::units},
                           {"_g", &Configuration::segments},
                           {"_d", &Configuration::depth},
                           {"_s", &Configuration::splits}};

int element_of(const Problem& p) { return static_cast<int>(size_of(p.x.dtype)); }

// Returns the number of bytes that one copy instruction copies: the largest power of two, up to 16,
// to which all copies are aligned. A row has `row_bytes` bytes, and the tensors are aligned to
// `alignment` bytes.
int copy_of(std::int64_t row_bytes, std::size_t alignment) {
  int bytes = kUnit;
  while (row_bytes % bytes != 0 || alignment < static_cast<std::size_t>(bytes)) bytes /= 2;
  return bytes;
}

// Returns a geometry in which only the fields are set that follow from the problem. The fields that
// depend on a configuration have default values.
WeightGeometry geometry_of(const Problem& p, const Limits& limits) {
  WeightGeometry g;
  g.images = static_cast<int>(p.batch());
  g.channels = static_cast<int>(p.channels_in());
  g.filters = static_cast<int>(p.channels_out());
  g.height = static_cast<int>(p.in(0));
  g.width = static_cast<int>(p.in(1));
  g.out_height = static_cast<int>(p.out(0));
  g.out_width = static_cast<int>(p.out(1));
  g.rows = static_cast<int>(p.kernel(0));
  g.columns = static_cast<int>(p.kernel(1));
  g.row_dilation = static_cast<int>(p.dilation[0]);
  g.column_dilation = static_cast<int>(p.dilation[1]);
  g.pad_top = static_cast<int>(p.pad_low[0]);
  g.pad_left = static_cast<int>(p.pad_low[1]);
  g.stride = static_cast<int>(p.stride[0]);
  g.copy_x_bytes = copy_of(p.in(1) * element_of(p), limits.alignment);
  g.copy_y_bytes = copy_of(p.out(1) * element_of(p), limits.alignment);
  g.channel_blocks = ceil_div(g.channels, kTileChannels);
  g.filter_blocks = ceil_div(g.filters, kTileFilters);
  g.row_blocks = ceil_div(g.rows, kTileRows);
  g.column_blocks = ceil_div(g.columns, kTileColumns);
  g.tap_lag = g.stride == 1 ? g.row_dilation : 1;
  g.lag = (kTileRows - 1) / g.stride * g.tap_lag;
  g.strip_lines = g.out_height + g.lag;
  return g;
}

int tiles(const WeightGeometry& g) {
  return g.channel_blocks * g.filter_blocks * g.row_blocks * g.column_blocks;
}

std::uint64_t split_bytes(const WeightGeometry& g) {
  return sizeof(float) * static_cast<std::uint64_t>(g.rows) *
         static_cast<std::uint64_t>(g.columns) *
         static_cast<std::uint64_t>(g.channel_blocks * kTileChannels) *
         static_cast<std::uint64_t>(g.filter_blocks * kTileFilters);
}

// In shared memory, the inputs of each image begin at a multiple of a unit's pixels (16 bytes).
// Returns the largest distance, in columns, from this beginning to the first column that the last
// column of taps of a tile reads.
int reach(const WeightGeometry& g, int unit_pixels) {
  int most = 0;
  for (int block = 0; block < g.column_blocks; ++block) {
    const int first = block * kTileColumns * g.column_dilation - g.pad_left;
    const int in_unit = (first % unit_pixels + unit_pixels) % unit_pixels;
    most = std::max(most, in_unit + (kTileColumns - 1) * g.column_dilation);
  }
  return most;
}

// Cuts the problem into lines (rows of outputs with their inputs): sets the fields of `g` that
// depend on the configuration. Returns the number of bytes of shared memory that the kernel needs.
int cut_lines(WeightGeometry& g, const Configuration& c, int element) {
  const int unit_pixels = kUnit / element;
  g.units = c.units;
  g.segments = c.segments;
  g.depth = c.depth;
  g.splits = c.splits;
  g.strips = ceil_div(g.out_width, std::int64_t{g.units} * unit_pixels);
  g.steps = ceil_div(std::int64_t{g.units} * g.segments, 2);
  g.lines = ceil_div(g.images, g.segments) * g.strips * g.strip_lines;
  g.x_units =
      ceil_div((g.units * unit_pixels - 1) * g.stride + reach(g, unit_pixels) + 1, unit_pixels);
  g.segment_pitch_bytes = g.x_units * kUnit;
  // In shared memory, the distance between two channels is an odd multiple of 16 bytes, so that the
  // words that a warp reads from eight channels are in different banks.
  g.x_pitch_bytes = (g.segments * g.x_units | 1) * kUnit;
  g.x_line_bytes = g.stride * kTileChannels * g.x_pitch_bytes;
  g.y_line_bytes = 2 * g.steps * kUnitPitch;
  g.y_lines = g.depth + g.lag;
  g.y_at = g.depth * g.x_line_bytes;
  return g.y_at + g.y_lines * g.y_line_bytes;
}

// Returns whether the configuration is valid for the problem. `whole` is a geometry with the fields
// that follow from the problem alone. The numbers of the configuration are compared with limits
// before they are multiplied, so that no product overflows.
bool fits(const WeightGeometry& whole, const Configuration& c, int element) {
  constexpr int kMostUnits = 64;
  const int unit_pixels = kUnit / element;
  if (std::min({c.units, c.segments, c.depth, c.splits}) < 1 || c.units > kMostUnits ||
      c.units > ceil_div(whole.out_width, unit_pixels) || c.segments > kMostUnits ||
      c.segments > whole.images || c.depth < 2 || c.depth > kMostDepth || c.splits > kMostSplits)
    return false;
  WeightGeometry g = whole;
  if (cut_lines(g, c, element) > kMostShared) return false;
  return c.splits <= g.lines;
}

// Returns the estimated time of a configuration, in cycles of a multiprocessor.
double cost_of(const WeightGeometry& whole, const Configuration& c, int element,
               int multiprocessors, const WeightCosts& costs) {
  WeightGeometry g = whole;
  cut_lines(g, c, element);
  // If the images are not cut into strips of columns, the kernel does not copy padding.
  const int x_row =
      g.strips == 1 ? std::min(g.width * element, g.segment_pitch_bytes) : g.segment_pitch_bytes;
  const int y_row = g.strips == 1 ? g.out_width * element : g.units * kUnit;
  const double x = static_cast<double>(g.stride) * kTileChannels * g.segments * x_row;
  const double y = static_cast<double>(kTileFilters) * g.segments * y_row;
  const double copies = std::max((x + y) / costs.bytes_per_cycle,
                                 (x / g.copy_x_bytes + y / g.copy_y_bytes) * costs.copy);
  const double products = g.steps * costs.products * kTileColumns;
  const double line =
      std::max(products, copies * (g.depth == 2 ? costs.shallow : 1)) + costs.barrier;
  const double waves = ceil_div(std::int64_t{tiles(g)} * g.splits, multiprocessors);
  return waves * (ceil_div(g.lines, g.splits) * line + costs.block) +
         2.0 * static_cast<double>(split_bytes(g)) * g.splits / costs.sum_bytes_per_cycle;
}

}  // namespace

std::string weight_objection(const Problem& p, const Limits& limits) {
  if (p.direction != Direction::backward_weight) return "it is no gradient of weights";
  if (p.groups != 1) return "it has groups";
  if (p.spatial != 2) return "it has not two spatial dimensions";
  if (p.epilogue != Epilogue::none) return "it has a bias";
  if (p.x.dtype != p.y.dtype || p.x.dtype != p.w.dtype) return "its dtypes differ";
  if (p.x.dtype == Dtype::f32 && !limits.allow_tf32) return "f32 may not be multiplied as TF32";
  if (limits.alignment < size_of(p.x.dtype)) return "its elements are not aligned";
  if (p.x.elements() == 0 || p.y.elements() == 0 || p.w.elements() == 0) return "a tensor is empty";
  if (!p.x.channels_first() || !p.y.channels_first())
    return "x and y must be dense, channels first";
  if (p.channels_in() < kLeastChannels || p.channels_out() < kLeastChannels)
    return format("it has fewer than {} channels or filters", kLeastChannels);
  if (p.kernel(0) * p.kernel(1) == 1) return "its filter has one tap";
  if (p.stride[0] != p.stride[1] || p.stride[0] > 2) return "its strides are neither 1 nor 2";
  if (p.stride[0] == 2 && p.dilation[0] != 1) return "it has a stride and a dilation";
  for (int d = 0; d < 2; ++d) {
    const auto i = static_cast<std::size_t>(d);
    if (p.kernel(d) > kMostTaps || p.dilation[i] > kMostTaps || p.pad_low[i] > 1024 ||
        p.pad_low[i] < -1024)
      return "its window is too large";
  }
  for (const Tensor* tensor : {&p.x, &p.y}) {
    const std::int64_t image = tensor->shape[1] * tensor->shape[2] * tensor->shape[3];
    if (image >= kMostExtent ||
        tensor->shape[0] * (tensor->shape[2] + 2 * kMostTaps) * tensor->shape[3] >= kMostExtent)
      return "an image or the batch is too large";
  }
  return "";
}

std::string to_string(const WeightConfiguration& c) { return kernels::write(kForm, c); }
WeightConfiguration parse_weight_configuration(const std::string& text) {
  return kernels::read(kForm, text, "dense", "wgmma_bw_u14_g2_d3_s33");
}

std::vector<WeightConfiguration> weight_configurations(const Problem& problem, const Limits& limits,
                                                       int multiprocessors) {
  const int element = element_of(problem), unit_pixels = kUnit / element;
  const WeightGeometry whole = geometry_of(problem, limits);
  const std::uint64_t most_parts = std::min(kMostParts, limits.workspace);
  const auto most_splits =
      static_cast<int>(std::min<std::uint64_t>(most_parts / split_bytes(whole), kMostSplits));
  if (most_splits == 0) return {};
  struct Found {
    double cost;
    Configuration configuration;
  };
  std::vector<Found> found;
  int before = 0;
  for (int strips = 1; strips <= whole.out_width; ++strips) {
    const int units = ceil_div(ceil_div(whole.out_width, strips), unit_pixels);
    if (units == before) continue;
    before = units;
    for (int segments = 1; segments <= 16; ++segments)
      for (int depth = 2; depth <= kMostDepth; ++depth)
        for (int waves = 1, splits_before = 0; waves <= 3; ++waves) {
          Configuration c{units, segments, depth, 1};
          if (!fits(whole, c, element)) continue;
          WeightGeometry cut = whole;
          cut_lines(cut, c, element);
          c.splits = std::clamp(waves * multiprocessors / tiles(whole), 1,
                                std::min(most_splits, cut.lines));
          if (c.splits == splits_before) continue;
          splits_before = c.splits;
          found.push_back({cost_of(whole, c, element, multiprocessors, {}), c});
        }
    if (units == 1) break;
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Found& a, const Found& b) { return a.cost < b.cost; });
  std::vector<Configuration> result;
  std::map<std::pair<int, int>, int> taken;
  for (const Found& each : found) {
    // At most two configurations with equal `units` and equal `segments` are returned. So the
    // returned configurations differ in how they cut the images.
    const Configuration& c = each.configuration;
    if (++taken[{c.units, c.segments}] > 2) continue;
    result.push_back(c);
    if (result.size() == kMostOffers) break;
  }
  return result;
}

double weight_cost(const Problem& problem, const Limits& limits, const Configuration& c,
                   int multiprocessors, const WeightCosts& costs) {
  return cost_of(geometry_of(problem, limits), c, element_of(problem), multiprocessors, costs);
}

kernels::LaunchPlan weight_launch_plan(const Problem& problem, const Limits& limits,
                                       const Configuration& c) {
  using kernels::Pointer;
  const int element = element_of(problem);
  WeightGeometry g = geometry_of(problem, limits);
  kernels::LaunchPlan plan;
  if (!fits(g, c, element)) return plan;
  const auto shared_bytes = static_cast<unsigned>(cut_lines(g, c, element));
  const auto blocks = static_cast<unsigned>(tiles(g) * g.splits);
  const bool f32 = problem.x.dtype == Dtype::f32;
  WeightOutput output;
  while (output.sharers < kSumWarps && g.splits >= 8 * output.sharers) output.sharers *= 2;
  for (std::size_t i = 0; i < 4; ++i) output.strides[i] = problem.w.strides[i];
  output.accumulate = static_cast<int>(problem.accumulate);
  const auto sum_blocks = static_cast<unsigned>(ceil_div(g.channels, kSumWarps / output.sharers) *
                                                (g.filter_blocks * kTileFilters / kSumFilters));
  plan.launches = {
      {cuda::kDenseWeightKernels,
       format("atc_dense_weight_{}_s{}", f32 ? "tf32" : name_of(problem.x.dtype), g.stride),
       {{blocks}, {kThreads}, shared_bytes},
       kernels::arguments(g, Pointer::x, Pointer::y, Pointer::parts)},
      {cuda::kDenseWeightSumKernels,
       format("atc_dense_weight_sum_{}", name_of(problem.w.dtype)),
       {{sum_blocks}, {kSumThreads}},
       kernels::arguments(g, output, Pointer::x, Pointer::y, Pointer::parts, Pointer::w)}};
  plan.workspace = split_bytes(g) * static_cast<std::uint64_t>(g.splits);
  return plan;
}

}  // namespace atc::dense
