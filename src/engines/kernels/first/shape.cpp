#include "engines/kernels/first/shape.hpp"

#include <algorithm>
#include <limits>

#include "core/format.hpp"
#include "engines/kernels/first/plan.hpp"

namespace atc::first {

namespace {

constexpr std::int64_t kMostTaps = 1024, kMostWindow = 1 << 12;

using kernels::Dimension;

Dimension dimension(const Problem& p, int d) {
  Dimension result = kernels::dimension(p, d);
  if (result.taps == 1) result.dilation = 1;
  return result;
}

}  // namespace

std::string objection(const Problem& p) {
  if (p.w.dtype != p.x.dtype || p.y.dtype != p.x.dtype) return "its tensors are of different types";
  if (p.spatial > 2) return "it has no kernels for three spatial dimensions";
  if (p.accumulate) return "it adds to no old output";
  if (p.groups != 1 || p.channels_in() > kMostChannels)
    return "it is for up to four input channels, without groups";
  if (!all_channels_first(p) && !all_channels_last(p))
    return "x and y must be dense, both channels first or both channels last";
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
    if (p.kernel(d) == 0) return "its filter is empty";
    if (p.stride[i] > kMostWindow || p.dilation[i] * p.kernel(d) > kMostWindow ||
        p.pad_low[i] > kMostWindow)
      return "its window is too large";
    if (p.pad_low[i] < 0) return "it crops its input";
  }
  if (taps > kMostTaps) return format("its filter has more than {} taps", kMostTaps);
  return "";
}

Geometry geometry_of(const Problem& p) {
  Geometry g;
  const bool first = all_channels_first(p);
  const Dimension h = dimension(p, 0), w = dimension(p, 1);
  const auto channels = static_cast<int>(p.channels_in());
  g.x.pixel = first ? 1 : channels;
  g.x.planes = first ? channels : 1;
  g.x.plane = h.in * w.in;
  g.x.row = w.in * g.x.pixel;
  g.x.image = static_cast<long long>(channels) * g.x.plane;
  g.x.height = h.in;
  g.x.step_h = h.stride;
  g.x.step = w.stride * g.x.pixel;
  g.x.pad_h = h.pad;
  g.x.pad = w.pad * g.x.pixel;

  g.w.channels = channels;
  g.w.height = h.taps;
  g.w.width = w.taps;
  g.w.dilation_h = h.dilation;
  g.w.dilation_w = w.dilation;
  const auto& strides = p.w.strides;
  g.w.strides[0] = strides[0];
  g.w.strides[1] = strides[1];
  g.w.strides[2] = p.spatial == 2 ? strides[2] : 0;
  g.w.strides[3] = strides[static_cast<std::size_t>(p.w.rank - 1)];

  g.slots.element_bytes = element_of(p);
  g.slots.runs = w.dilation == 1 ? 1 : w.taps;
  g.slots.run_elements = g.x.pixel * (w.dilation == 1 ? w.taps : 1);

  g.images = static_cast<int>(p.batch());
  g.channels = static_cast<int>(p.channels_out());
  g.height = h.out;
  g.width = w.out;
  const int plane = h.out * w.out;
  g.y_image = static_cast<long long>(g.channels) * plane;
  g.y_channel = first ? plane : 1;
  g.y_pixel = first ? 1 : g.channels;
  g.has_bias = p.epilogue != Epilogue::none;
  g.relu = p.epilogue == Epilogue::bias_relu;
  return g;
}

}  // namespace atc::first
