#include "engines/kernels/dense/pointwise_weight_plan.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/format.hpp"
#include "engines/kernels/configuration_form.hpp"
#include "engines/kernels/dense/pointwise_shape.hpp"
#include "engines/kernels/dense/pointwise_weight_geometry.hpp"
#include "engines/kernels/images.hpp"
#include "engines/kernels/planning.hpp"
#include "engines/kernels/window.hpp"

namespace atc::dense {

namespace {

using kernels::ceil_div;

using Configuration = PointwiseWeightConfiguration;
using Field = kernels::Field<Configuration>;

constexpr Field kFields[] = {{"pointwise_bw_", &Configuration::rows},
                             {"x", &Configuration::columns},
                             {"_c", &Configuration::blocks},
                             {"_x", &Configuration::x_is_rows},
                             {"_s", &Configuration::splits}};

// A kernel of pointwise_weight.cu: the sizes of its tile, and the numbers of its blocks.
struct Form {
  int rows, columns;
  int cluster;  // the number of blocks of a cluster
  int blocks;   // the number of blocks that run on a multiprocessor at the same time
};
constexpr Form kForms[] = {{128, 64, 1, 2},  {128, 128, 1, 1}, {256, 64, 1, 1},
                           {256, 128, 1, 1}, {128, 128, 2, 1}, {256, 128, 2, 1}};

// The bytes of shared memory of a multiprocessor. The system uses kSharedOfSystem of these bytes
// for each block.
constexpr int kSharedOfMultiprocessor = 228 << 10, kSharedOfSystem = 1 << 10;
constexpr int kMostStages = 12;
constexpr int kMostSplits = 4096;
// The most bytes that the partials of all splits may have.
constexpr std::uint64_t kMostParts = 256 << 20;
constexpr int kStepsOfChunk = kRowBytes / kStepBytes;

const Form* form_of(const Configuration& c) {
  for (const Form& form : kForms)
    if (form.rows == c.rows && form.columns == c.columns && form.cluster == c.blocks) return &form;
  return nullptr;
}

std::int64_t element_of(const Problem& p) { return static_cast<std::int64_t>(size_of(p.x.dtype)); }
std::int64_t row_bytes_of(const Problem& p) { return pixels_of(p) * element_of(p); }

PointwiseWeightGeometry geometry_of(const Problem& p, const Configuration& c, const Form& form) {
  const std::int64_t element = element_of(p), row_bytes = row_bytes_of(p);
  PointwiseWeightGeometry g;
  g.images = static_cast<int>(p.batch());
  g.a_rows = static_cast<int>(c.x_is_rows ? p.channels_in() : p.channels_out());
  g.b_rows = static_cast<int>(c.x_is_rows ? p.channels_out() : p.channels_in());
  g.row_bytes = static_cast<int>(row_bytes);
  g.chunks = ceil_div(row_bytes, kRowBytes);
  g.chunk = static_cast<int>(kRowBytes / element);
  const std::int64_t tail = row_bytes - std::int64_t{g.chunks - 1} * kRowBytes;
  g.tail_steps = ceil_div(tail, kStepBytes);
  // The kernel multiplies a row's last chunk, if it is short, only after the products of the other
  // chunks are complete. This wait takes about as long as one step of products. So if the last
  // chunk is only one step shorter than a whole chunk, it is multiplied as a whole chunk, without
  // the wait.
  if (g.tail_steps + 1 == kStepsOfChunk) g.tail_steps = kStepsOfChunk;
  g.a_tiles = ceil_div(g.a_rows, c.rows);
  g.b_tiles = ceil_div(ceil_div(g.b_rows, c.columns), c.blocks) * c.blocks;
  g.splits = c.splits;
  const int room = kSharedOfMultiprocessor / form.blocks - kSharedOfSystem - kPointwiseBarrierBytes;
  g.stages = std::min(room / ((c.rows + c.columns) * kRowBytes), kMostStages);
  return g;
}

std::int64_t tiles_of(const PointwiseWeightGeometry& g) {
  return static_cast<std::int64_t>(g.a_tiles) * g.b_tiles;
}
std::int64_t chunks_of(const PointwiseWeightGeometry& g) {
  return static_cast<std::int64_t>(g.images) * g.chunks;
}
std::uint64_t split_bytes(const PointwiseWeightGeometry& g, const Configuration& c) {
  return sizeof(float) * static_cast<std::uint64_t>(tiles_of(g)) *
         static_cast<std::uint64_t>(c.rows) * static_cast<std::uint64_t>(c.columns);
}

bool has_maps(const Problem& p) { return copy_of(row_bytes_of(p), element_of(p)) == 16; }

// Returns whether the configuration is valid for the problem.
bool fits(const Problem& p, const Configuration& c) {
  const Form* const form = form_of(c);
  if (form == nullptr || c.splits < 1 || c.splits > kMostSplits) return false;
  if (!has_maps(p) && (c.blocks != 1 || c.columns != 128)) return false;
  const PointwiseWeightGeometry g = geometry_of(p, c, *form);
  return c.splits <= chunks_of(g) && tiles_of(g) * c.splits < std::int64_t{1} << 30 &&
         split_bytes(g, c) * static_cast<std::uint64_t>(c.splits) <= kMostParts;
}

// Returns the tensor map of an operand: of x if `of_x` is set, otherwise of dy. `rows` is the
// number of its channels, and `box` is the number of rows (channels) of a box.
kernels::Mapped map_of(const Problem& p, const PointwiseWeightGeometry& g, bool of_x, int rows,
                       int box) {
  kernels::Mapped map;
  map.pointer = of_x ? kernels::Pointer::x : kernels::Pointer::y;
  map.boxes.dtype = p.x.dtype;
  map.boxes.extents[0] = static_cast<std::uint64_t>(pixels_of(p));
  map.boxes.extents[1] = static_cast<std::uint64_t>(rows);
  map.boxes.extents[2] = static_cast<std::uint64_t>(g.images);
  map.boxes.strides[0] = static_cast<std::uint64_t>(row_bytes_of(p));
  map.boxes.strides[1] = static_cast<std::uint64_t>(rows * row_bytes_of(p));
  map.boxes.box[0] = static_cast<std::uint32_t>(g.chunk);
  map.boxes.box[1] = static_cast<std::uint32_t>(box);
  map.boxes.box[2] = 1;
  map.boxes.swizzle = kRowBytes;
  return map;
}

double cost_of(const Problem& p, const Configuration& c, const Form& form, int multiprocessors,
               const PointwiseWeightCosts& costs) {
  const PointwiseWeightGeometry g = geometry_of(p, c, form);
  const double steps = g.chunks == 1 ? g.tail_steps
                                     : (g.chunks - 1.0) / g.chunks * kStepsOfChunk +
                                           static_cast<double>(g.tail_steps) / g.chunks;
  const double products = steps * c.rows * c.columns * kStepBytes /
                          static_cast<double>(element_of(p)) /
                          (costs.products_per_cycle * 2 / static_cast<double>(element_of(p)));
  const double bytes = (static_cast<double>(c.rows) / form.cluster + c.columns) * kRowBytes;
  const double copies = has_maps(p) ? 0
                                    : static_cast<double>(c.rows + c.columns) * kRowBytes /
                                          copy_of(row_bytes_of(p), element_of(p)) * costs.copy;
  const double chunk = std::max({products, bytes / costs.bytes_per_cycle, copies}) + costs.chunk;
  const double waves =
      ceil_div(tiles_of(g) * c.splits, std::int64_t{multiprocessors} * form.blocks) * form.blocks;
  return waves * (ceil_div(chunks_of(g), c.splits) * chunk + costs.block) +
         static_cast<double>(split_bytes(g, c)) * c.splits / costs.sum_bytes_per_cycle;
}

}  // namespace

std::string to_string(const Configuration& c) { return kernels::write(kFields, c); }
Configuration parse_pointwise_weight_configuration(const std::string& text) {
  return kernels::read(kFields, text, "dense", "pointwise_bw_256x128_c2_s16");
}

std::vector<Configuration> pointwise_weight_configurations(const Problem& problem,
                                                           const Limits& limits,
                                                           int multiprocessors) {
  constexpr std::size_t kMostOffers = 5;
  kernels::Priced<Configuration> found;
  for (const Form& form : kForms)
    for (const bool x_is_rows : {false, true})
      for (int waves = 1, before = 0; waves <= 2; ++waves) {
        Configuration c{form.rows, form.columns, form.cluster, x_is_rows, 1};
        const PointwiseWeightGeometry g = geometry_of(problem, c, form);
        const std::int64_t blocks = std::int64_t{waves} * form.blocks * multiprocessors;
        const std::uint64_t most_parts = std::min(kMostParts, limits.workspace) / split_bytes(g, c);
        c.splits = static_cast<int>(
            std::min<std::int64_t>({std::max<std::int64_t>(blocks / tiles_of(g), 1), chunks_of(g),
                                    kMostSplits, static_cast<std::int64_t>(most_parts)}));
        if (c.splits == before || !fits(problem, c)) continue;
        before = c.splits;
        found.emplace_back(cost_of(problem, c, form, multiprocessors, {}), c);
      }
  std::vector<Configuration> result = kernels::cheapest_first(std::move(found));
  if (result.size() > kMostOffers) result.resize(kMostOffers);
  return result;
}

double pointwise_weight_cost(const Problem& problem, const Configuration& c, int multiprocessors,
                             const PointwiseWeightCosts& costs) {
  return cost_of(problem, c, *form_of(c), multiprocessors, costs);
}

kernels::LaunchPlan pointwise_weight_launch_plan(const Problem& problem, const Limits&,
                                                 const Configuration& c) {
  using kernels::Pointer;
  kernels::LaunchPlan plan;
  if (!fits(problem, c)) return plan;
  const PointwiseWeightGeometry g = geometry_of(problem, c, *form_of(c));
  PointwiseWeightOutput output;
  output.a_stride = problem.w.strides[c.x_is_rows ? 1 : 0];
  output.b_stride = problem.w.strides[c.x_is_rows ? 0 : 1];
  output.tile_rows = c.rows;
  output.tile_columns = c.columns;
  output.accumulate = static_cast<int>(problem.accumulate);
  constexpr int kMostSharers = 16, kSplitsOfSharer = 4;
  while (output.sharers < kMostSharers && c.splits >= 2 * kSplitsOfSharer * output.sharers)
    output.sharers *= 2;
  const std::int64_t fours = tiles_of(g) * c.rows * c.columns / 4;
  const char* const type = kernels::math_of(problem);
  const auto shared_bytes =
      static_cast<unsigned>(kPointwiseBarrierBytes + g.stages * (c.rows + c.columns) * kRowBytes);
  kernels::Launch products;
  products.image = cuda::kDensePointwiseWeightKernels;
  products.shape.blocks.x = static_cast<unsigned>(tiles_of(g) * c.splits);
  products.shape.shared_bytes = shared_bytes;
  if (has_maps(problem)) {
    products.kernel =
        format("atc_pointwise_weight_{}_{}x{}_c{}", type, c.rows, c.columns, c.blocks);
    products.shape.threads.x = kPointwiseMapThreads;
    products.arguments = kernels::arguments(
        g,
        kernels::Argument(std::vector{map_of(problem, g, c.x_is_rows, g.a_rows, c.rows / c.blocks),
                                      map_of(problem, g, !c.x_is_rows, g.b_rows, c.columns)}),
        Pointer::parts);
  } else {
    products.kernel = format("atc_pointwise_weight_{}_{}x{}_by{}", type, c.rows, c.columns,
                             copy_of(row_bytes_of(problem), element_of(problem)));
    products.shape.threads.x = kPointwiseCopyThreads;
    products.arguments = kernels::arguments(g, c.x_is_rows ? Pointer::x : Pointer::y,
                                            c.x_is_rows ? Pointer::y : Pointer::x, Pointer::parts);
  }
  plan.launches = {
      std::move(products),
      {cuda::kDensePointwiseWeightSumKernels,
       format("atc_pointwise_weight_sum_{}", name_of(problem.w.dtype)),
       {{static_cast<unsigned>(ceil_div(fours, kPointwiseSumThreads / output.sharers))},
        {kPointwiseSumThreads}},
       kernels::arguments(g, output, Pointer::parts, Pointer::w)}};
  plan.workspace = split_bytes(g, c) * static_cast<std::uint64_t>(c.splits);
  return plan;
}

}  // namespace atc::dense
