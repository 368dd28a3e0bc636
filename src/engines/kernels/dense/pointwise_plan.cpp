#include "engines/kernels/dense/pointwise_plan.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/format.hpp"
#include "engines/kernels/configuration_form.hpp"
#include "engines/kernels/dense/pointwise_geometry.hpp"
#include "engines/kernels/dense/pointwise_shape.hpp"
#include "engines/kernels/images.hpp"
#include "engines/kernels/planning.hpp"
#include "engines/kernels/window.hpp"

namespace atc::dense {

namespace {

using kernels::ceil_div;

using Configuration = PointwiseConfiguration;
using Field = kernels::Field<Configuration>;

constexpr Field kFields[] = {{"pointwise_", &Configuration::pixels},
                             {"x", &Configuration::channels}};

// A kernel of pointwise.cu: the sizes of its tile, and the number of its blocks.
struct Form {
  int pixels, channels;
  int blocks;  // the number of blocks that run on a multiprocessor at the same time
};
constexpr Form kForms[] = {{128, 64, 2}, {128, 128, 1}, {256, 64, 1}, {256, 128, 1}, {128, 256, 1}};

// The bytes of shared memory of a multiprocessor. The system uses kSharedOfSystem of these bytes
// for each block.
constexpr int kSharedOfMultiprocessor = 228 << 10, kSharedOfSystem = 1 << 10;
constexpr int kMostStages = 12;
constexpr std::int64_t kMostTiles = std::int64_t{1} << 30;

const Form* form_of(const Configuration& c) {
  for (const Form& form : kForms)
    if (form.pixels == c.pixels && form.channels == c.channels) return &form;
  return nullptr;
}

int stage_bytes_of(const Configuration& c) {
  return c.pixels / pointwise::kUnitPixels * pointwise::kUnitBytes +
         c.channels * pointwise::kRowBytes;
}

pointwise::Geometry geometry_of(const Problem& p, const Configuration& c, const Form& form) {
  const bool forward = p.direction == Direction::forward;
  pointwise::Geometry g;
  g.images = static_cast<int>(p.batch());
  g.channels = static_cast<int>(forward ? p.channels_in() : p.channels_out());
  g.out_channels = static_cast<int>(forward ? p.channels_out() : p.channels_in());
  g.pixels = static_cast<int>(pixels_of(p));
  g.image_units = ceil_div(g.pixels, pointwise::kUnitPixels);
  g.units = g.images * g.image_units;
  g.chunks = ceil_div(g.channels, pointwise::kChunk);
  g.unit_tiles = ceil_div(g.units, c.pixels / pointwise::kUnitPixels);
  g.channel_tiles = ceil_div(g.out_channels, c.channels);
  const int room =
      kSharedOfMultiprocessor / form.blocks - kSharedOfSystem - pointwise::kBarrierBytes;
  g.stages = std::min(room / stage_bytes_of(c), kMostStages);
  g.has_bias = static_cast<int>(p.epilogue != Epilogue::none);
  g.relu = static_cast<int>(p.epilogue == Epilogue::bias_relu);
  g.accumulate = static_cast<int>(p.accumulate);
  return g;
}

std::int64_t tiles_of(const pointwise::Geometry& g) {
  return static_cast<std::int64_t>(g.unit_tiles) * g.channel_tiles;
}

// Returns the number of elements of the packed filters.
std::int64_t packed_of(const pointwise::Geometry& g, const Configuration& c) {
  return static_cast<std::int64_t>(g.channel_tiles) * g.chunks * c.channels * pointwise::kChunk;
}

bool fits(const Problem& p, const Configuration& c, const Limits& limits) {
  const Form* const form = form_of(c);
  if (form == nullptr || p.batch() * ceil_div(pixels_of(p), pointwise::kUnitPixels) >= kMostTiles)
    return false;
  const pointwise::Geometry g = geometry_of(p, c, *form);
  return tiles_of(g) < kMostTiles && packed_of(g, c) < kMostTiles &&
         sizeof(float) * static_cast<std::uint64_t>(packed_of(g, c)) <= limits.workspace;
}

double cost_of(const Problem& p, const Configuration& c, const Form& form, int multiprocessors,
               const PointwiseCosts& costs) {
  const pointwise::Geometry g = geometry_of(p, c, form);
  const double products =
      static_cast<double>(c.pixels) * c.channels * pointwise::kChunk / costs.products_per_cycle;
  const double chunk = std::max(products, stage_bytes_of(c) / costs.bytes_per_cycle) + costs.chunk;
  const double tile = g.chunks * chunk + c.pixels * c.channels * costs.store + costs.around;
  const double rounds =
      ceil_div(tiles_of(g), std::int64_t{multiprocessors} * form.blocks) * form.blocks;
  return rounds * tile;
}

}  // namespace

std::string to_string(const Configuration& c) { return kernels::write(kFields, c); }
Configuration parse_pointwise_configuration(const std::string& text) {
  return kernels::read(kFields, text, "dense", "pointwise_256x128");
}

std::vector<Configuration> pointwise_configurations(const Problem& problem, const Limits& limits,
                                                    int multiprocessors) {
  constexpr std::size_t kMostOffers = 3;
  kernels::Priced<Configuration> found;
  for (const Form& form : kForms) {
    const Configuration c{form.pixels, form.channels};
    if (fits(problem, c, limits))
      found.emplace_back(cost_of(problem, c, form, multiprocessors, {}), c);
  }
  std::vector<Configuration> result = kernels::cheapest_first(std::move(found));
  if (result.size() > kMostOffers) result.resize(kMostOffers);
  return result;
}

double pointwise_cost(const Problem& problem, const Configuration& c, int multiprocessors,
                      const PointwiseCosts& costs) {
  return cost_of(problem, c, *form_of(c), multiprocessors, costs);
}

kernels::LaunchPlan pointwise_launch_plan(const Problem& problem, const Limits& limits,
                                          const Configuration& c, int multiprocessors) {
  using kernels::Pointer;
  kernels::LaunchPlan plan;
  if (!fits(problem, c, limits)) return plan;
  const Form& form = *form_of(c);
  const pointwise::Geometry g = geometry_of(problem, c, form);
  const auto row_bytes = static_cast<std::uint64_t>(g.pixels) * sizeof(float);
  kernels::Mapped map;
  map.pointer = Pointer::in;
  map.boxes.dtype = Dtype::f32;
  map.boxes.extents[0] = static_cast<std::uint64_t>(g.pixels);
  map.boxes.extents[1] = static_cast<std::uint64_t>(g.channels);
  map.boxes.extents[2] = static_cast<std::uint64_t>(g.images);
  map.boxes.strides[0] = row_bytes;
  map.boxes.strides[1] = row_bytes * static_cast<std::uint64_t>(g.channels);
  map.boxes.box[0] = pointwise::kUnitPixels;
  map.boxes.box[1] = pointwise::kChunk;
  map.boxes.box[2] = 1;
  map.boxes.swizzle = pointwise::kUnitPixels * static_cast<int>(sizeof(float));
  const std::int64_t blocks = std::min(tiles_of(g), std::int64_t{multiprocessors} * form.blocks);
  const auto shared_bytes =
      static_cast<unsigned>(pointwise::kBarrierBytes + g.stages * stage_bytes_of(c));
  plan.launches = {{cuda::kDensePointwiseKernels,
                    format("atc_pointwise_tf32_{}x{}", c.pixels, c.channels),
                    {{static_cast<unsigned>(blocks)}, {pointwise::kThreads}, shared_bytes},
                    kernels::arguments(g, kernels::Argument(std::vector{map}), Pointer::filters,
                                       Pointer::bias, Pointer::out)}};
  const bool forward = problem.direction == Direction::forward;
  pointwise::Filters filters;
  filters.channels = g.channels;
  filters.out_channels = g.out_channels;
  filters.chunks = g.chunks;
  filters.tile = c.channels;
  filters.tiles = g.channel_tiles;
  filters.channel_stride = problem.w.strides[forward ? 1 : 0];
  filters.out_channel_stride = problem.w.strides[forward ? 0 : 1];
  plan.pack = {{cuda::kDensePointwiseKernels,
                "atc_pointwise_pack",
                {{static_cast<unsigned>(ceil_div(packed_of(g, c), pointwise::kPackThreads))},
                 {pointwise::kPackThreads}},
                kernels::arguments(filters, Pointer::w, Pointer::packed)}};
  plan.packed_bytes = sizeof(float) * static_cast<std::uint64_t>(packed_of(g, c));
  plan.workspace = plan.packed_bytes;
  return plan;
}

}  // namespace atc::dense
