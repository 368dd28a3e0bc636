// The conditions under which libraries have known faults. The argument `use` of each function is a
// problem and the implementation that computes it. Each function returns whether its condition is
// true for the use.
#pragma once

#include "engines/faults/fault.hpp"

namespace atc::faults {

// Whether the kernel is 1x1, a stride is above 1, each group has fewer than `Channels` input
// channels, and the implementation reads x in a layout without blocks of channels.
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
// Whether some elements of x are in no window of the kernel, and the products are computed from
// factors of 16 bits.
bool has_unreached_inputs_reduced(const Use& use);
// Whether each element of the output is a sum over an odd number of channels.
bool sums_odd_channels(const Use& use);
bool is_dilated(const Use& use);
// Whether the stride is larger than the dilated kernel in a spatial dimension.
bool has_gaps_between_windows(const Use& use);
// Whether the stride is larger than the dilated kernel in a spatial dimension, and the convolution
// has three spatial dimensions.
bool has_gaps_in_3d(const Use& use);
bool is_dilated_or_has_gaps(const Use& use);
bool is_kernel_beyond_input_in_3d(const Use& use);
// Whether, in a spatial dimension, windows overlap (the stride is above 1 and the kernel is larger
// than the stride) and some elements of x are in no window.
bool leaves_inputs_of_overlapping_windows(const Use& use);
// Whether a stride is above 1, and each group has at most 16 output channels and more than 32 input
// channels, whose number is not a multiple of 32.
bool is_strided_to_few_channels(const Use& use);
bool is_huge(const Use& use);  // whether a tensor has more than 2^31 - 1 elements
// Whether oneDNN makes a table with more than 2^24 entries for a row of elements (see
// tabulated_row()).
bool has_endless_rows(const Use& use);
// Whether products are computed from factors of 16 bits, and the kernel has more than 1,024
// elements in a spatial dimension.
bool is_reduced_of_long_kernel(const Use& use);
// Whether the padding at the two sides of a dimension differs.
bool has_uneven_padding(const Use& use);
// Whether x is f32, y has 16 bits, and there are several groups.
bool narrows_in_groups(const Use& use);
bool is_half_in_3d(const Use& use);
bool is_tf32_in_3d(const Use& use);
// Whether the problem is a depthwise layer, x is channels last, and the memory of x or of y has
// more than 2^31 - 1 elements, gaps included.
bool is_large_depthwise_last(const Use& use);
bool is_depthwise(const Use& use);

// oneDNN makes tables with an entry for each element of a row (the last spatial dimension). Returns
// the larger of the row lengths of x and y, or 0 if oneDNN makes no such table for the problem.
std::int64_t tabulated_row(const Problem& problem);

}  // namespace atc::faults
