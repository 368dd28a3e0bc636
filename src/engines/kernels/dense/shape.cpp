#include "engines/kernels/dense/shape.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/format.hpp"
#include "engines/kernels/window.hpp"

namespace atc::dense {

namespace {

// The limit for the number of elements of an image, for the number of positions of an image's
// raster, and for the number of images of a batch. Each of these numbers must be smaller.
constexpr std::int64_t kMostElements = std::int64_t{1} << 29;
// The most taps of a filter.
constexpr std::int64_t kMostTaps = 64;
// The largest absolute value of the padding. The dilation is at most kMostExtent / kMostTaps. So
// the distance between the first and the last tap of a filter is also below kMostExtent.
constexpr std::int64_t kMostExtent = 1 << 20;
constexpr int kFewChannels = 4;
// If a row of the raster has at least this many positions, one position may be added to make the
// number even.
constexpr int kWorthPairing = 24;

using kernels::Dimension;

// Returns a dimension of the convolution that the kernel computes. For forward this is the
// dimension of the problem. Backward-data is computed as a convolution with the input dy and the
// output dx. So for backward-data, `in` is the extent of dy, and `out` is the extent of dx. If the
// problem has the padding p, this convolution has the padding (taps - 1) * dilation - p.
Dimension dimension(const Problem& p, int d) {
  Dimension result = kernels::dimension(p, d);
  if (p.direction == Direction::backward_data) {
    std::swap(result.in, result.out);
    result.pad = (result.taps - 1) * result.dilation - result.pad;
  }
  return result;
}

// Returns the number of rows (or columns) of an image on the raster. An image has a row for each
// row of outputs. Rows of zeros follow, so many that no tap of an image reads a pixel of the next
// image. The rows of zeros after an image are at the same time the rows of zeros before the next
// image.
int extent_of_raster(const Dimension& d) {
  const int before = std::max(d.pad, 0);
  return std::max({d.out, d.in + before, d.out + (d.taps - 1) * d.dilation - before});
}

}  // namespace

std::string objection(const Problem& p) {
  const Dtype dtype = p.x.dtype;
  if (p.direction == Direction::backward_weight) return "it computes no gradients of filters";
  if (dtype != Dtype::f16 && dtype != Dtype::bf16) return "its tensors are not of 16 bits";
  if (p.w.dtype != dtype || p.y.dtype != dtype) return "its tensors are of different types";
  if (p.spatial > 2) return "it has no kernels for three spatial dimensions";
  if (p.groups != 1) return "it has no kernels for groups";
  if (!p.x.channels_first() || !p.y.channels_first())
    return "x and y must be dense and channels first";
  if (std::min(p.channels_in(), p.channels_out()) <= kFewChannels)
    return format("it has {} channels or fewer on a side", kFewChannels);
  for (const Tensor* tensor : {&p.x, &p.y, &p.w})
    if (tensor->elements() == 0) return "a tensor is empty";
  for (const Tensor* tensor : {&p.x, &p.y})
    if (tensor->elements() / tensor->shape[0] >= kMostElements)
      return format("an image has more than {} elements", kMostElements);
  if (p.batch() >= kMostElements) return "it has too many images";
  std::int64_t taps = 1, raster = 1;
  for (int d = 0; d < p.spatial; ++d) {
    const auto i = static_cast<std::size_t>(d);
    if (p.stride[i] != 1) return "its stride is not 1";
    if (p.kernel(d) > kMostTaps || p.dilation[i] > kMostExtent / kMostTaps ||
        p.pad_low[i] > kMostExtent || p.pad_low[i] < -kMostExtent)
      return "its window is too large";
    taps *= p.kernel(d);
  }
  if (taps == 1) return "it is a product of matrices";
  if (taps > kMostTaps) return format("its filter has more than {} taps", kMostTaps);
  for (int d = 0; d < 2; ++d) raster *= extent_of_raster(dimension(p, d));
  if (raster >= kMostElements) return "an image with its padding is too large";
  return "";
}

Geometry geometry_of(const Problem& p, int strips) {
  const bool back = p.direction == Direction::backward_data;
  const Tensor &in = back ? p.y : p.x, &out = back ? p.x : p.y;
  const Dimension h = dimension(p, 0), w = dimension(p, 1);
  Geometry g;
  g.in_channels = static_cast<int>(in.shape[1]);
  g.out_channels = static_cast<int>(out.shape[1]);
  g.in_height = h.in;
  g.in_width = w.in;
  g.out_height = h.out;
  g.out_width = w.out;
  g.in_plane = h.in * w.in;
  g.out_plane = h.out * w.out;
  g.in_image = static_cast<long long>(g.in_channels) * g.in_plane;
  g.out_image = static_cast<long long>(g.out_channels) * g.out_plane;
  g.images = static_cast<int>(p.batch());
  g.pad_h = h.pad;
  g.pad_w = w.pad;
  g.taps_h = h.taps;
  g.taps_w = w.taps;
  g.strips = strips;
  g.strip_width = (w.out + strips - 1) / strips;
  g.image_rows = extent_of_raster(h);
  g.row_positions = strips == 1 ? extent_of_raster(w) : g.strip_width + (w.taps - 1) * w.dilation;
  // If rows of the raster are long, they get an even number of positions. Then all rows begin at
  // even positions. So a pair of outputs that begins at an even column also begins at an even
  // position.
  if (g.row_positions >= kWorthPairing) g.row_positions = (g.row_positions + 1) / 2 * 2;
  g.tap_row_positions = h.dilation * g.row_positions;
  g.tap_column_positions = w.dilation;
  g.has_bias = p.epilogue != Epilogue::none;
  g.relu = p.epilogue == Epilogue::bias_relu;
  g.accumulate = p.accumulate;
  return g;
}

FilterView filter_view(const Problem& p) {
  FilterView view;
  const auto& strides = p.w.strides;
  view.strides[0] = strides[0];
  view.strides[1] = strides[1];
  view.strides[2] = p.spatial == 2 ? strides[2] : 0;
  view.strides[3] = strides[static_cast<std::size_t>(p.w.rank - 1)];
  view.turned = p.direction == Direction::backward_data;
  view.rows = static_cast<int>(view.turned ? p.channels_in() : p.channels_out());
  view.channels = static_cast<int>(view.turned ? p.channels_out() : p.channels_in());
  view.taps_h = dimension(p, 0).taps;
  view.taps_w = dimension(p, 1).taps;
  view.per_tap = reciprocal(view.taps_h * view.taps_w);
  view.per_column = reciprocal(view.taps_w);
  return view;
}

}  // namespace atc::dense
