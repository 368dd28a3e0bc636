#include "engines/faults/conditions.hpp"

#include <algorithm>
#include <limits>

#include "core/unreached.hpp"

namespace atc::faults {

namespace {

constexpr std::int64_t kMostElements = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kEndlessRow = std::int64_t{1} << 24;
constexpr std::int64_t kLongKernel = 1024;

bool is_strided(const Problem& p) {
  return std::any_of(p.stride.begin(), p.stride.begin() + p.spatial,
                     [](std::int64_t stride) { return stride > 1; });
}

bool is_pointwise(const Problem& p) {
  for (int i = 0; i < p.spatial; ++i)
    if (p.kernel(i) != 1) return false;
  return true;
}

}  // namespace

template <int Channels>
bool is_strided_pointwise_of_few_channels(const Use& use) {
  const Problem& p = use.problem;
  return use.plain_source && is_pointwise(p) && is_strided(p) &&
         p.channels_in() / p.groups < Channels;
}
template bool is_strided_pointwise_of_few_channels<8>(const Use&);
template bool is_strided_pointwise_of_few_channels<16>(const Use&);

bool has_f32_factors(const Use& use) { return use.factors == Dtype::f32; }
bool has_reduced_factors(const Use& use) { return use.factors != Dtype::f32; }

bool is_kernel_beyond_input(const Use& use) {
  const Problem& p = use.problem;
  for (int i = 0; i < p.spatial; ++i)
    if (p.dilation[i] * (p.kernel(i) - 1) + 1 > p.in(i)) return true;
  return false;
}

bool is_stride_beyond_input(const Use& use) {
  const Problem& p = use.problem;
  for (int i = 0; i < p.spatial; ++i)
    if (p.stride[i] > p.in(i)) return true;
  return false;
}

bool is_strided_in_3d(const Use& use) {
  return use.problem.spatial == 3 && is_strided(use.problem);
}

bool has_unreached_inputs_reduced(const Use& use) {
  return has_reduced_factors(use) && has_unreached_elements(use.problem);
}

bool sums_odd_channels(const Use& use) {
  const Problem& p = use.problem;
  const std::int64_t channels =
      p.direction == Direction::backward_data ? p.channels_out() : p.channels_in();
  return channels / p.groups % 2 != 0;
}

bool is_dilated(const Use& use) {
  const Problem& p = use.problem;
  for (int i = 0; i < p.spatial; ++i)
    if (p.dilation[i] > 1 && p.kernel(i) > 1) return true;
  return false;
}

bool has_gaps_between_windows(const Use& use) {
  const Problem& p = use.problem;
  for (int i = 0; i < p.spatial; ++i)
    if (p.stride[i] > p.dilation[i] * (p.kernel(i) - 1) + 1) return true;
  return false;
}

bool has_gaps_in_3d(const Use& use) {
  return use.problem.spatial == 3 && has_gaps_between_windows(use);
}

bool is_dilated_or_has_gaps(const Use& use) {
  return is_dilated(use) || has_gaps_between_windows(use);
}

bool is_kernel_beyond_input_in_3d(const Use& use) {
  return use.problem.spatial == 3 && is_kernel_beyond_input(use);
}

bool leaves_inputs_of_overlapping_windows(const Use& use) {
  const Problem& p = use.problem;
  for (int i = 0; i < p.spatial; ++i)
    if (p.stride[i] > 1 && p.kernel(i) > p.stride[i] && has_unreached_elements(p, i)) return true;
  return false;
}

bool is_strided_to_few_channels(const Use& use) {
  const Problem& p = use.problem;
  const std::int64_t in = p.channels_in() / p.groups, out = p.channels_out() / p.groups;
  return is_strided(p) && in > 32 && in % 32 != 0 && out <= 16;
}

bool is_huge(const Use& use) {
  const Problem& p = use.problem;
  return std::max({p.x.elements(), p.w.elements(), p.y.elements()}) > kMostElements;
}

std::int64_t tabulated_row(const Problem& problem) {
  const int last = problem.spatial - 1;
  const bool tabulated =
      problem.direction != Direction::backward_weight && problem.kernel(last) > 1;
  return tabulated ? std::max(problem.in(last), problem.out(last)) : 0;
}

bool has_endless_rows(const Use& use) { return tabulated_row(use.problem) > kEndlessRow; }

bool is_reduced_of_long_kernel(const Use& use) {
  if (!has_reduced_factors(use)) return false;
  for (int i = 0; i < use.problem.spatial; ++i)
    if (use.problem.kernel(i) > kLongKernel) return true;
  return false;
}

bool has_uneven_padding(const Use& use) { return use.problem.pad_low != use.problem.pad_high; }

bool narrows_in_groups(const Use& use) {
  const Problem& p = use.problem;
  return p.groups > 1 && p.x.dtype == Dtype::f32 && p.y.dtype != Dtype::f32;
}

bool is_half_in_3d(const Use& use) {
  return use.problem.spatial == 3 && use.problem.x.dtype != Dtype::f32;
}

bool is_tf32_in_3d(const Use& use) {
  return use.problem.spatial == 3 && use.problem.x.dtype == Dtype::f32 && use.tensor_core;
}

bool is_large_depthwise_last(const Use& use) {
  const Problem& p = use.problem;
  return p.is_depthwise() && p.x.channels_last() &&
         (p.x.span() > kMostElements || p.y.span() > kMostElements);
}

bool is_depthwise(const Use& use) { return use.problem.is_depthwise(); }

}  // namespace atc::faults
