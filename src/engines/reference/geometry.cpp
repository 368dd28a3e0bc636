#include "engines/reference/geometry.hpp"

#include <algorithm>

namespace atc::reference {

namespace {

std::int64_t ceil_divide(std::int64_t a, std::int64_t b) {  // returns a / b rounded up, for b > 0
  return a >= 0 ? (a + b - 1) / b : -(-a / b);
}

}  // namespace

Geometry::Geometry(const Problem& problem)
    : batch(problem.batch()),
      groups(problem.groups),
      group_in(problem.w.shape[1]),
      group_out(problem.channels_out() / std::max<std::int64_t>(problem.groups, 1)) {
  for (int i = 0; i < 3; ++i) {
    const int dim = i - (3 - problem.spatial);
    const bool real = dim >= 0;
    in[i] = real ? problem.in(dim) : 1;
    out[i] = real ? problem.out(dim) : 1;
    kernel[i] = real ? problem.kernel(dim) : 1;
    stride[i] = real ? problem.stride[dim] : 1;
    dilation[i] = real ? problem.dilation[dim] : 1;
    pad[i] = real ? problem.pad_low[dim] : 0;
    for (std::int64_t t = 0; t < kernel[i]; ++t) {
      TapRange range;
      range.shift = t * dilation[i] - pad[i];
      range.begin = std::clamp<std::int64_t>(ceil_divide(-range.shift, stride[i]), 0, out[i]);
      range.end = std::clamp<std::int64_t>(ceil_divide(in[i] - range.shift, stride[i]), range.begin,
                                           out[i]);
      ranges[i].push_back(range);
    }
  }
}

std::array<std::int64_t, 5> strides_of(const Tensor& tensor) {
  std::array<std::int64_t, 5> strides{tensor.strides[0], tensor.strides[1], 0, 0, 0};
  const int spatial = tensor.rank - 2;
  for (int i = 0; i < spatial; ++i) strides[5 - spatial + i] = tensor.strides[2 + i];
  return strides;
}

}  // namespace atc::reference
