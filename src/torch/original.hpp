// LibTorch's own convolutions, below autograd and below the hooks of this bridge.
#pragma once

#include <optional>

#include "geometry.hpp"

namespace atc_torch::original {

// As at::convolution hands them on.
Flags flags_of_now();

at::Tensor forward(const at::Tensor& x, const at::Tensor& w, const std::optional<at::Tensor>& bias,
                   const Geometry& geometry, const Flags& flags);

// On CUDA LibTorch reads its switches when this is called.
Gradients backward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& w,
                   at::OptionalIntArrayRef bias_sizes, const Geometry& geometry,
                   const BackwardMask& mask);

}  // namespace atc_torch::original
