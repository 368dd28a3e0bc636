#include "engines/kernels/implicit/shape.hpp"

#include <algorithm>
#include <numeric>

#include "core/format.hpp"

namespace atc::implicit {

namespace {

// The most input channels, and the most output channels, of a group.
constexpr std::int64_t kMostGroup = 256;
constexpr int kMostTap = 256;  // the most taps of a filter

using kernels::all_channels_first;
using kernels::all_channels_last;
using kernels::Dimension;
using kernels::dimension;

bool backwards(const Problem& p) { return p.direction == Direction::backward_data; }

// group_in returns the number of channels of a group in the tensor that is read, and group_out in
// the tensor that is written. In backward-weight both tensors are read: x has group_in channels and
// dy has group_out.
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
  axis.taps = d.taps;
  axis.start = -d.pad;
  axis.spacing = d.dilation;
  axis.filter_step = 1;
  return axis;
}

// In backward-data, the kernel reads dy. A phase is the pixels of dx whose coordinates have the
// same remainder modulo the stride; output i of a phase is the pixel phase + i * stride of dx. With
// tap r this output reads the pixel (phase + i * stride + pad - r * dilation) / stride of dy, if
// this is a whole number. The axis has the taps in the order of these pixels, so the last tap comes
// first.
Axis backward_axis(const Dimension& d, int phase) {
  Axis axis;
  axis.outputs = std::max(0, ceil_div(d.in - phase, d.stride));
  int last = -1;
  for (int r = 0; r < d.taps; ++r)
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

}  // namespace

std::string objection(const Problem& p) {
  const Dtype dtype = p.x.dtype;
  if (p.w.dtype != dtype || p.y.dtype != dtype) return "its tensors are of different types";
  if (p.spatial > 2) return "it has no kernels for three spatial dimensions";
  if (p.accumulate) return "it adds to no old output";
  const bool grouped = p.groups > 1 && p.groups < p.channels_in() && p.groups < p.channels_out();
  const bool first = p.groups == 1 && p.channels_in() <= 4;
  if (!grouped && !first) return "it is for groups of channels and for up to four input channels";
  if (!all_channels_first(p) && !all_channels_last(p))
    return "x and y must be dense, both channels first or both channels last";
  if (std::max(group_in(p), group_out(p)) > kMostGroup)
    return format("a group has more than {} channels", kMostGroup);
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
  if (taps > kMostTap) return format("its filter has more than {} taps", kMostTap);
  return "";
}

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
  if (is_gradient(p))
    g.out.vectors = aligned && !first && g.group_out % width == 0;
  else
    g.out.vectors = aligned && (first ? g.out.channel : g.out.pixel) % width == 0;
  if (first && size_of(p.x.dtype) == 2 && limits.alignment >= 4) {
    g.in.twos = g.in.width % 2 == 0;
    g.out.twos = (is_gradient(p) ? g.out.width : g.out.channel) % 2 == 0;
  }
  Dimension h = dimension(p, 0);
  const Dimension w = dimension(p, 1);
  if (p.spatial == 1)
    // The problem has one row, so every stride of the rows gives the same result.
    h.stride = w.stride;
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

Units units_of(const Geometry& g) {
  const int eights = ceil_div(g.group_out, 8);
  Units result;
  result.units = 1;
  while (result.units < kMostUnits && result.units * kMostEights < eights) result.units *= 2;
  result.eights = std::min(kMostEights, ceil_div(eights, result.units));
  if (g.paired) result.eights = std::max(result.eights, 3);
  const int of_block = result.units * result.eights;
  result.blocks = ceil_div(eights, of_block);
  return result;
}

Axis longest(const Axis (&axes)[kMostPhases]) {
  Axis result;
  for (const Axis& axis : axes) {
    result.outputs = std::max(result.outputs, axis.outputs);
    result.taps = std::max(result.taps, axis.taps);
    result.spacing = std::max(result.spacing, axis.spacing);
  }
  return result;
}

}  // namespace atc::implicit
