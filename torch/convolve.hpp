// One convolution: by atc if it knows a faster implementation, else by LibTorch.
#pragma once

#include <optional>

#include "atc/conv.h"
#include "geometry.hpp"
#include "options.hpp"

namespace atc_torch {

bool needs_gradient(const at::Tensor& x, const at::Tensor& w,
                    const std::optional<at::Tensor>& bias);

// Whether atc can read the bias: it is dense, has one value for each output channel, and has x's
// dtype and device.
bool takes_bias(const at::Tensor& bias, const at::Tensor& x, const atc_conv_problem& problem);

// Returns the gradient, or a contiguous copy if it is not dense: for example, the gradient of
// `sum()` is one number expanded to all elements. LibTorch's own convolution copies it, too.
at::Tensor dense(const at::Tensor& gradient);

// Runs one convolution below autograd. Throws c10::Error for arguments that LibTorch refuses.
// Throws NotTuned, with libatc's text, if the store is replay-only and has no record.
at::Tensor convolve(const at::Tensor& x, const at::Tensor& w, const std::optional<at::Tensor>& bias,
                    const Geometry& geometry, const Flags& flags, const Options& options);

// `kept`: the flags of the forward, which on CUDA also hold for its gradients. If null, LibTorch's
// current switches hold.
Gradients convolve_backward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& w,
                            at::OptionalIntArrayRef bias_sizes, const Geometry& geometry,
                            const BackwardMask& mask, const Options& options, const Flags* kept);

}  // namespace atc_torch
