#include "engines/kernels/depthwise/geometry.hpp"

namespace atc::depthwise {

namespace {

constexpr std::int64_t kMostPlanes = std::int64_t{1} << 30;

}  // namespace

Geometry geometry_of(const Problem& problem) {
  Geometry g;
  g.backward = problem.direction == Direction::backward_data;
  const Tensor& from = g.backward ? problem.y : problem.x;
  const Tensor& to = problem.output();
  g.batch = problem.batch();
  g.in_channels = from.shape[1];
  g.out_channels = to.shape[1];
  for (int dim = 0; dim < problem.spatial; ++dim) {
    const int at = dim + 3 - problem.spatial;
    g.in[at] = static_cast<int>(from.shape[2 + dim]);
    g.out[at] = static_cast<int>(to.shape[2 + dim]);
    g.taps[at] = static_cast<int>(problem.kernel(dim));
    g.stride[at] = static_cast<int>(problem.stride[dim]);
    g.dilation[at] = static_cast<int>(problem.dilation[dim]);
    g.pad[at] = static_cast<int>(problem.pad_low[dim]);
    // If a dimension has one input, one output, one tap and no padding, every stride gives the same
    // result. The stride is set to 1, which most kernels accept.
    if (g.in[at] == 1 && g.out[at] == 1 && g.taps[at] == 1 && g.pad[at] == 0) g.stride[at] = 1;
    if (g.taps[at] == 1) g.dilation[at] = 1;
  }
  g.last = !(from.channels_first() && to.channels_first());
  g.finish = {static_cast<int>(to.dtype), problem.epilogue == Epilogue::bias_relu,
              problem.accumulate};
  return g;
}

std::string way_of(const Geometry& g) {
  if (g.in_channels != g.out_channels || g.batch * g.out_channels > kMostPlanes) return "";
  const bool flat = g.in[0] == 1 && g.out[0] == 1 && g.taps[0] == 1 && g.pad[0] == 0;
  if (g.taps[0] == 1 && !flat) return "";
  for (const int dilation : g.dilation)
    if (dilation != 1) return "";
  if (g.stride[0] != 1 || g.stride[1] != g.stride[2]) return "";
  if (g.stride[2] == 1) return "s1";
  if (g.stride[2] == 2 && flat) return g.backward ? "t2" : "s2";
  return "";
}

PlaneShape plane_shape(const Geometry& g) {
  PlaneShape shape{};
  shape.planes = static_cast<int>(g.batch * g.out_channels);
  shape.channels = static_cast<int>(g.out_channels);
  // Backward-data of stride 1 is computed as forward with a flipped filter.
  shape.flipped = g.backward && g.stride[2] == 1;
  for (int d = 0; d < 3; ++d) {
    shape.in[d] = g.in[d];
    shape.out[d] = g.out[d];
    shape.pad[d] = shape.flipped ? g.taps[d] - 1 - g.pad[d] : g.pad[d];
  }
  shape.finish = g.finish;
  return shape;
}

}  // namespace atc::depthwise
