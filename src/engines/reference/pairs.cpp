#include "engines/reference/pairs.hpp"

#include <cstddef>
#include <cstdint>

namespace atc::reference {

namespace {

// Returns whether `distance` is `step` times an integer from 0 to `end` - 1.
bool is_multiple(std::int64_t distance, std::int64_t step, std::int64_t end) {
  return distance >= 0 && distance % step == 0 && distance / step < end;
}

// Checks the condition of belong_together() in the spatial dimension `dim` only. In this dimension,
// the product of output o with the filter's tap t uses the input i = o * stride + t * dilation -
// pad.
bool belong_together(const Problem& problem, const Pair& pair, int dim) {
  const auto at = static_cast<std::size_t>(dim) + 2;
  const std::int64_t stride = problem.stride[dim], dilation = problem.dilation[dim];
  const std::int64_t pad = problem.pad_low[dim];
  if (pair.w == nullptr)
    return is_multiple((*pair.x)[at] + pad - (*pair.y)[at] * stride, dilation, problem.kernel(dim));
  if (pair.y == nullptr)
    return is_multiple((*pair.x)[at] + pad - (*pair.w)[at] * dilation, stride, problem.out(dim));
  return is_multiple((*pair.y)[at] * stride + (*pair.w)[at] * dilation - pad, 1, problem.in(dim));
}

}  // namespace

bool belong_together(const Problem& problem, const Pair& pair) {
  const std::int64_t group_in = problem.w.shape[1];
  const std::int64_t group_out = problem.channels_out() / problem.groups;
  bool together = true;
  if (pair.w == nullptr)
    together = (*pair.x)[0] == (*pair.y)[0] && (*pair.x)[1] / group_in == (*pair.y)[1] / group_out;
  else if (pair.y == nullptr)
    together = (*pair.w)[0] / group_out * group_in + (*pair.w)[1] == (*pair.x)[1];
  else
    together = (*pair.w)[0] == (*pair.y)[1];
  for (int dim = 0; dim < problem.spatial && together; ++dim)
    together = belong_together(problem, pair, dim);
  return together;
}

}  // namespace atc::reference
