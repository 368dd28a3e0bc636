// The rewrites: some move tensors to another layout, one splits the batch.
#pragma once

#include <memory>

#include "engines/rewrite.hpp"

namespace atc {

// "nhwc": the same convolution of dense channels-last tensors.
std::unique_ptr<Rewrite> make_channels_last_rewrite();
// "patch": if windows tile the input, their elements become the channels of a 1x1 convolution,
// which is one matrix product. Configurations "first" and "last" name the memory order of its y.
std::unique_ptr<Rewrite> make_patch_rewrite();
// "subsample": a strided 1x1 convolution becomes one without strides, over the pixels of x that it
// reads. In configuration "same" the tensors keep their memory order; in "last" all tensors are
// channels last.
std::unique_ptr<Rewrite> make_subsample_rewrite();
// "pad": converts to channels-last tensors and adds channels of zeros, up to a multiple of 4 or 8.
// Configurations "c4" and "c8" name the multiple for x.
std::unique_ptr<Rewrite> make_channel_padding_rewrite();
// "split": equal parts of the batch, one after the other. It is offered if x or y has more elements
// than 32-bit indices reach, or if both together take more bytes than the workspace. The
// configuration is the number of parts.
std::unique_ptr<Rewrite> make_batch_split_rewrite();

}  // namespace atc
