// Makes the built-in rewrites. A rewrite turns a problem into another convolution. Each comment
// begins with the name of the rewrite.
#pragma once

#include <memory>

#include "engines/rewrite.hpp"

namespace atc {

// "nhwc": converts all tensors to dense channels-last tensors. The convolution remains the same.
std::unique_ptr<Rewrite> make_channels_last_rewrite();
// "patch": for convolutions whose windows do not overlap. The elements of a window become the
// channels of one pixel. The convolution then has a 1x1 kernel and is one matrix product. The
// configurations "first" and "last" name the layout of y in this convolution (channels first or
// last).
std::unique_ptr<Rewrite> make_patch_rewrite();
// "subsample": for 1x1 convolutions with a stride above 1. Only the pixels of x that the
// convolution reads are copied, and the new convolution has stride 1. In the configuration "same"
// the tensors keep their layout. In the configuration "last" all tensors become channels last.
std::unique_ptr<Rewrite> make_subsample_rewrite();
// "pad": converts all tensors to channels last and adds channels of zeros. Then the numbers of
// channels are multiples of 4 or 8. The configurations "c4" and "c8" name the multiple for the
// channels of x.
std::unique_ptr<Rewrite> make_channel_padding_rewrite();
// "split": divides the batch into equal parts and computes one after the other. It is offered if x
// or y has more elements than 32-bit indices can address, or if x and y together have more bytes
// than the workspace. The configuration is the number of parts.
std::unique_ptr<Rewrite> make_batch_split_rewrite();

}  // namespace atc
