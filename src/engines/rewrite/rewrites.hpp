// The rewrites: those that move tensors, and the one that splits the batch.
#pragma once

#include <memory>

#include "engines/rewrite.hpp"

namespace atc {

// "nhwc": the same convolution of dense channels-last tensors.
std::unique_ptr<Rewrite> make_channels_last_rewrite();
// "patch": windows that tile the input become the channels of a 1x1 convolution, that is, of one
// matrix product. "first", "last": the memory order of its y.
std::unique_ptr<Rewrite> make_patch_rewrite();
// "subsample": a 1x1 convolution with strides becomes one without, of those pixels of x that it
// reads. "same": they keep their memory order, "last": all tensors are channels last.
std::unique_ptr<Rewrite> make_subsample_rewrite();
// "pad": channels-last tensors with channels of zeros added, up to a multiple of 4 or 8: "c4" and
// "c8" name the multiple for x.
std::unique_ptr<Rewrite> make_channel_padding_rewrite();
// "split": equal parts of the batch, one after the other, if x or y has more elements than 32-bit
// indices reach, or both take more bytes than the workspace. The configuration is the number of
// parts.
std::unique_ptr<Rewrite> make_batch_split_rewrite();

}  // namespace atc
