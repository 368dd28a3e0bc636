// The conditions of faults. Each function tells whether a fact holds for the use of an
// implementation for a problem.
#pragma once

#include "engines/faults/fault.hpp"

namespace atc::faults {

// Whether a strided 1x1 layer reads x in plain channels-last memory and has fewer than `Channels`
// input channels in a group.
template <int Channels>
bool is_strided_pointwise_of_few_channels(const Use& use);

bool has_f32_factors(const Use& use);
bool has_reduced_factors(const Use& use);           // narrower than f32
bool is_kernel_beyond_input(const Use& use);        // the dilated kernel is larger than the input
bool is_stride_beyond_input(const Use& use);        // a stride is larger than the input
bool is_strided_in_3d(const Use& use);              // a stride above 1 and three dimensions
bool has_unreached_inputs_reduced(const Use& use);  // some elements of x are in no window, and the
                                                    // operands have 16 bits
bool sums_odd_channels(const Use& use);  // the number of channels that each sum adds is odd
bool is_dilated(const Use& use);
bool has_gaps_between_windows(const Use& use);  // a stride is larger than the dilated kernel
bool has_gaps_in_3d(const Use& use);            // the same in three dimensions
bool is_dilated_or_has_gaps(const Use& use);
bool is_kernel_beyond_input_in_3d(const Use& use);
bool leaves_inputs_of_overlapping_windows(const Use& use);  // unreached inputs, kernel above stride
// Strided; more than 32 input channels, and not a multiple of 32; at most 16 output channels.
bool is_strided_to_few_channels(const Use& use);
bool is_huge(const Use& use);           // a tensor of more than 2^31 - 1 elements
bool has_endless_rows(const Use& use);  // more than 2^24 outputs in a row
// The operands have 16 bits, and an extent of the kernel is above 1,024.
bool is_reduced_of_long_kernel(const Use& use);
bool has_uneven_padding(const Use& use);  // the two sides differ
bool narrows_in_groups(const Use& use);   // from f32 to 16 bits, in groups
bool is_half_in_3d(const Use& use);
bool is_tf32_in_3d(const Use& use);
bool is_large_depthwise_last(const Use& use);  // channels last, more than 2^31 - 1 elements
bool is_depthwise(const Use& use);

// Returns the number of outputs in the longest row for which oneDNN makes a table; 0 if it makes
// none.
std::int64_t tabulated_row(const Problem& problem);

}  // namespace atc::faults
