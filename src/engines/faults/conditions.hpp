// The conditions under which known faults of libraries occur. Each function returns whether its
// condition is true for a use of an implementation (a problem and the implementation that computes
// it).
#pragma once

#include "engines/faults/fault.hpp"

namespace atc::faults {

// Whether the kernel is 1x1, a stride is above 1, x is read in a plain channels-last layout, and a
// group has fewer than `Channels` input channels.
template <int Channels>
bool is_strided_pointwise_of_few_channels(const Use& use);

bool has_f32_factors(const Use& use);
// Whether the factors of the products have fewer bits than f32.
bool has_reduced_factors(const Use& use);
// Whether the dilated kernel is larger than the input in a spatial dimension.
bool is_kernel_beyond_input(const Use& use);
// Whether the stride is larger than the input in a spatial dimension.
bool is_stride_beyond_input(const Use& use);
// Whether the convolution has three spatial dimensions and a stride above 1.
bool is_strided_in_3d(const Use& use);
// Whether some elements of x are in no window of the kernel, and the factors have 16 bits.
bool has_unreached_inputs_reduced(const Use& use);
// Whether each output is a sum over an odd number of channels.
bool sums_odd_channels(const Use& use);
bool is_dilated(const Use& use);
// Whether the stride is larger than the dilated kernel in a spatial dimension.
bool has_gaps_between_windows(const Use& use);
// Whether has_gaps_between_windows is true and the convolution has three spatial dimensions.
bool has_gaps_in_3d(const Use& use);
bool is_dilated_or_has_gaps(const Use& use);
bool is_kernel_beyond_input_in_3d(const Use& use);
// Whether windows overlap (the kernel is larger than the stride, which is above 1), and some
// elements of x are in no window.
bool leaves_inputs_of_overlapping_windows(const Use& use);
// Whether a stride is above 1, the number of input channels is above 32 and not a multiple of 32,
// and there are at most 16 output channels.
bool is_strided_to_few_channels(const Use& use);
bool is_huge(const Use& use);  // whether a tensor has more than 2^31 - 1 elements
// Whether oneDNN makes a table with more than 2^24 entries for a row (see tabulated_row).
bool has_endless_rows(const Use& use);
// Whether the factors have 16 bits, and an extent of the kernel is above 1,024.
bool is_reduced_of_long_kernel(const Use& use);
// Whether the padding at the two sides of a dimension differs.
bool has_uneven_padding(const Use& use);
// Whether x is f32, y has 16 bits, and there are several groups.
bool narrows_in_groups(const Use& use);
bool is_half_in_3d(const Use& use);
bool is_tf32_in_3d(const Use& use);
// Whether the problem is a depthwise layer, x is channels last, and x or y spans more than 2^31 - 1
// elements.
bool is_large_depthwise_last(const Use& use);
bool is_depthwise(const Use& use);

// oneDNN makes a table with an entry for each output of a row. Returns the number of outputs of the
// longest such row. Returns 0 if oneDNN makes no table for the problem.
std::int64_t tabulated_row(const Problem& problem);

}  // namespace atc::faults
