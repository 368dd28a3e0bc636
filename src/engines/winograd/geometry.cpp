#include "engines/winograd/geometry.hpp"

#include <algorithm>

#include "core/format.hpp"

namespace atc::winograd {

namespace {

constexpr std::int64_t kLeastChannels = 8;

// The number of floats that one thread should have in the transformed inputs and the products
// together. For each place (element of a transformed tile) they are written once and read once.
// Between the two they should remain in the cache that the threads share.
constexpr std::int64_t kFloatsOfThread = std::int64_t{512} << 10;
// The smallest number of tiles that each thread has at the same time. With fewer tiles, most of the
// time would be spent on loading the filters.
constexpr std::int64_t kLeastTiles = 24;

constexpr std::int64_t round_up(std::int64_t number, std::int64_t multiple) {
  return (number + multiple - 1) / multiple * multiple;
}

Plane plane_of(const Tensor& tensor, std::int64_t groups) {
  return {nullptr,           tensor.strides[1],        tensor.strides[2],
          tensor.strides[3], tensor.shape[1] / groups, tensor.shape[2],
          tensor.shape[3]};
}

}  // namespace

Geometry::Geometry(const Problem& problem) {
  const bool is_gradient = problem.direction == Direction::backward_data;
  const Tensor &from = is_gradient ? problem.y : problem.x,
               &to = is_gradient ? problem.x : problem.y;
  const Tensor& w = problem.w;
  batch = problem.batch();
  groups = problem.groups;
  in = plane_of(from, groups);
  out = plane_of(to, groups);
  in_batch = from.strides[0];
  out_batch = to.strides[0];
  in_group = in.channels * from.strides[1];
  out_group = out.channels * to.strides[1];
  filter_group = w.shape[0] / groups * w.strides[0];
  pad_row = is_gradient ? 2 - problem.pad_low[0] : problem.pad_low[0];
  pad_column = is_gradient ? 2 - problem.pad_low[1] : problem.pad_low[1];
  filters = {nullptr,      w.strides[0], w.strides[1], w.strides[2],
             w.strides[3], out.channels, in.channels};
  first_tap = 0;
  if (is_gradient) {
    std::swap(filters.filter, filters.channel);
    first_tap = 2 * (w.strides[2] + w.strides[3]);
    filters.row = -filters.row;
    filters.column = -filters.column;
  }
}

Tiling::Tiling(const Geometry& geometry, int m, int lanes, int threads) : m(m) {
  rows = (geometry.out.rows + m - 1) / m;
  columns = (geometry.out.columns + m - 1) / m;
  tiles = geometry.batch * rows * columns;
  channels = round_up(geometry.in.channels, lanes);
  filters = round_up(geometry.out.channels, std::int64_t{2} * lanes);
  const std::int64_t of_tile = places_of(m) * (channels + filters);
  at_once = std::min(tiles, threads * std::max(kLeastTiles, kFloatsOfThread / of_tile));
  filter_floats = places_of(m) * filters * channels;
  input_floats = places_of(m) * at_once * channels;
  product_floats = places_of(m) * at_once * filters;
}

std::string objection(const Problem& problem) {
  if (problem.direction == Direction::backward_weight)
    return "Winograd's method is used for forward and backward-data alone";
  if (problem.spatial != 2 || problem.kernel(0) != 3 || problem.kernel(1) != 3)
    return "Winograd's method is used for filters of 3x3 alone";
  for (int dim = 0; dim < 2; ++dim)
    if (problem.stride[dim] != 1 || problem.dilation[dim] != 1)
      return "Winograd's method is used for stride 1 and dilation 1 alone";
  for (const Tensor* tensor : {&problem.x, &problem.w, &problem.y}) {
    if (tensor->dtype != Dtype::f32) return "Winograd's method is used for f32 alone";
    if (tensor->elements() == 0)
      return "Winograd's method has nothing to compute for an empty tensor";
  }
  if (problem.accumulate) return "Winograd's method does not add to an old output";
  const std::int64_t least =
      std::min(problem.channels_in(), problem.channels_out()) / problem.groups;
  if (least < kLeastChannels)
    return format("Winograd's method is used from {} channels in a group on, not {}",
                  kLeastChannels, least);
  return {};
}

}  // namespace atc::winograd
