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

// On CUDA as the flags say, whatever LibTorch's switches are now.
Gradients backward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& w,
                   at::OptionalIntArrayRef bias_sizes, const Geometry& geometry,
                   const BackwardMask& mask, const Flags& flags);

// LibTorch's own sum.
at::Tensor bias_gradient(const at::Tensor& gradient);

// The layout of what LibTorch's forward and both of its gradients return, where that is cuDNN's to
// compute; empty where another backend may decide.
std::optional<at::MemoryFormat> format_of_cudnn(const at::Tensor& x, const at::Tensor& w,
                                                const Geometry& geometry);

}  // namespace atc_torch::original
