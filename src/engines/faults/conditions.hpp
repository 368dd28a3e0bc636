// The conditions under which known faults of libraries occur. Each function returns whether its
// condition is true for a use of an implementation (a problem and the implementation that computes
// it).
#pragma once

#include "engines/faults/fault.hpp"

namespace atc::faults {

// The kernel is 1x1, a stride is above 1, x is read in a plain channels-last layout, and a group
// has fewer than `Channels` input channels.
template <int Channels>
bool is_strided_pointwise_of_few_channels(const Use& use);

bool has_f32_factors(const Use& use);
// The factors of the products are narrower than f32.
bool has_reduced_factors(const Use& use);
bool is_kernel_beyond_input(const Use& use);  // the dilated kernel is larger than the input
bool is_stride_beyond_input(const Use& use);  // a stride is larger than the input
// A stride is above 1, and there are three spatial dimensions.
bool is_strided_in_3d(const Use& use);
// Some elements of x are in no window of the kernel, and the operands have 16 bits.
bool has_unreached_inputs_reduced(const Use& use);
bool sums_odd_channels(const Use& use);  // each output is a sum over an odd number of channels
bool is_dilated(const Use& use);
bool has_gaps_between_windows(const Use& use);  // a stride is larger than the dilated kernel
// A stride is larger than the dilated kernel, and there are three spatial dimensions.
bool has_gaps_in_3d(const Use& use);
bool is_dilated_or_has_gaps(const Use& use);
bool is_kernel_beyond_input_in_3d(const Use& use);
// The windows overlap (the kernel is larger than the stride, which is above 1), and some elements
// of x are in no window.
bool leaves_inputs_of_overlapping_windows(const Use& use);
// A stride is above 1. The number of input channels is above 32 and not a multiple of 32. There are
// at most 16 output channels.
bool is_strided_to_few_channels(const Use& use);
bool is_huge(const Use& use);           // a tensor has more than 2^31 - 1 elements
bool has_endless_rows(const Use& use);  // tabulated_row (below) is above 2^24
// The operands have 16 bits, and an extent of the kernel is above 1,024.
bool is_reduced_of_long_kernel(const Use& use);
bool has_uneven_padding(const Use& use);  // the padding at the two sides of a dimension differs
// x is f32, y has 16 bits, and there are several groups.
bool narrows_in_groups(const Use& use);
bool is_half_in_3d(const Use& use);
bool is_tf32_in_3d(const Use& use);
// A depthwise layer in which x is channels last, and x or y spans more than 2^31 - 1 elements.
bool is_large_depthwise_last(const Use& use);
bool is_depthwise(const Use& use);

// oneDNN makes a table with an entry for each output of a row. Returns the number of outputs of the
// longest such row. Returns 0 if oneDNN makes no table for the problem.
std::int64_t tabulated_row(const Problem& problem);

}  // namespace atc::faults
