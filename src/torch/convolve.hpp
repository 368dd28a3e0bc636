// One convolution: through atc where atc knows something faster, else LibTorch's own.
#pragma once

#include <optional>

#include "geometry.hpp"
#include "options.hpp"

namespace atc_torch {

// Below autograd. Throws c10::Error for what LibTorch refuses, and in replay-only mode with the
// text of ATC_ERROR_NOT_TUNED.
at::Tensor convolve(const at::Tensor& x, const at::Tensor& w, const std::optional<at::Tensor>& bias,
                    const Geometry& geometry, const Flags& flags, const Options& options);

Gradients convolve_backward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& w,
                            at::OptionalIntArrayRef bias_sizes, const Geometry& geometry,
                            const BackwardMask& mask, const Options& options);

}  // namespace atc_torch
