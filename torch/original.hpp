// LibTorch's own convolutions, below autograd and below the hooks of this bridge.
#pragma once

#include <optional>

#include "geometry.hpp"
#include "problem.hpp"

namespace atc_torch::original {

// LibTorch's current switches, in the form in which at::convolution passes them on.
Flags flags_of_now();

at::Tensor forward(const at::Tensor& x, const at::Tensor& w, const std::optional<at::Tensor>& bias,
                   const Geometry& geometry, const Flags& flags);

// Computes the gradients by LibTorch. On CUDA LibTorch reads its switches itself during this call.
Gradients backward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& w,
                   at::OptionalIntArrayRef bias_sizes, const Geometry& geometry,
                   const BackwardMask& mask);

// Computes the gradients by LibTorch. On CUDA LibTorch obeys `flags` and not its current switches.
Gradients backward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& w,
                   at::OptionalIntArrayRef bias_sizes, const Geometry& geometry,
                   const BackwardMask& mask, const Flags& flags);

// Returns the gradient of the bias: LibTorch's sum over all dimensions except the channels.
at::Tensor bias_gradient(const at::Tensor& gradient);

// Returns the layout of the result of LibTorch's convolution in a direction if LibTorch runs cuDNN
// for it. Returns nothing if another backend may run.
std::optional<at::MemoryFormat> format_of_cudnn(atc_direction direction, const Tensors& tensors,
                                                const Geometry& geometry);

}  // namespace atc_torch::original
