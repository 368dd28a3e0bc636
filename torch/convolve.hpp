// Runs one convolution. atc runs it if atc has chosen an implementation of its own for the problem.
// Otherwise LibTorch runs it.
#pragma once

#include <optional>

#include "atc/conv.h"
#include "geometry.hpp"
#include "options.hpp"

namespace atc_torch {

bool needs_gradient(const at::Tensor& x, const at::Tensor& w,
                    const std::optional<at::Tensor>& bias);

// Returns whether atc can use the tensor as the bias. The tensor must be dense, have one value for
// each output channel, and have the dtype and the device of `x`.
bool takes_bias(const at::Tensor& bias, const at::Tensor& x, const atc_conv_problem& problem);

// Returns the gradient if it is dense, and otherwise a contiguous copy. For example, the gradient
// of `sum()` is not dense: it is one number expanded to all elements. LibTorch's own convolution
// makes the same copy.
at::Tensor dense(const at::Tensor& gradient);

// Runs one forward convolution. Does not record it for autograd. Throws c10::Error if LibTorch
// refuses the arguments. Throws NotTuned, with libatc's text, if the store is replay-only and has
// no record.
at::Tensor convolve(const at::Tensor& x, const at::Tensor& w, const std::optional<at::Tensor>& bias,
                    const Geometry& geometry, const Flags& flags, const Options& options);

// Computes the gradients for which `mask` is true (of x, of w, of the bias). On CUDA, `kept` are
// the flags with which the forward convolution ran, and the gradients are computed with the same
// flags. If `kept` is null, LibTorch's current switches apply.
Gradients convolve_backward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& w,
                            at::OptionalIntArrayRef bias_sizes, const Geometry& geometry,
                            const BackwardMask& mask, const Options& options, const Flags* kept);

}  // namespace atc_torch
