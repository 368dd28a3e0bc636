#include "conv/race/resized.hpp"

#include <algorithm>

namespace atc::conv {

namespace {

// Whether a tensor is channels last. If both layouts are the same for this tensor (one channel or
// one position), the layout of `partner` decides.
bool is_channels_last(const Tensor& tensor, const Tensor& partner) {
  const Tensor& judged = tensor.channels_first() && tensor.channels_last() ? partner : tensor;
  return judged.strides[1] == 1 && !judged.channels_first();
}

// Makes a dense tensor with the type and the channels of `like`, but with this batch, these spatial
// extents and this layout.
Tensor resized(const Tensor& like, std::int64_t batch, const Extents& extents, bool channels_last) {
  Tensor tensor = like;
  tensor.shape[0] = batch;
  std::copy_n(extents.begin(), tensor.rank - 2, tensor.shape.begin() + 2);
  std::int64_t next = 1;
  const auto place = [&](int dim) {
    tensor.strides[dim] = next;
    next *= tensor.shape[dim];
  };
  if (channels_last) place(1);
  for (int dim = tensor.rank; dim-- > 2;) place(dim);
  if (!channels_last) place(1);
  place(0);
  return tensor;
}

}  // namespace

std::int64_t reach(const Problem& problem, int dim) {
  return problem.dilation[dim] * (problem.kernel(dim) - 1) + 1;
}

std::int64_t padding(const Problem& problem, int dim) {
  return problem.pad_low[dim] + problem.pad_high[dim];
}

Problem with_input(const Problem& problem, std::int64_t batch, const Extents& in) {
  Extents out{};
  for (int dim = 0; dim < problem.spatial; ++dim)
    out[dim] = (in[dim] + padding(problem, dim) - reach(problem, dim)) / problem.stride[dim] + 1;
  Problem other = problem;
  other.x = resized(problem.x, batch, in, is_channels_last(problem.x, problem.y));
  other.y = resized(problem.y, batch, out, is_channels_last(problem.y, problem.x));
  return other;
}

}  // namespace atc::conv
