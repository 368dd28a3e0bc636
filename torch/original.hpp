// Runs LibTorch's own convolutions. They are not recorded for autograd and do not call the hooks of
// this bridge.
#pragma once

#include <optional>

#include "geometry.hpp"
#include "problem.hpp"

namespace atc_torch::original {

// Returns the current values of LibTorch's switches as the flags that at::convolution passes on.
Flags flags_of_now();

at::Tensor forward(const at::Tensor& x, const at::Tensor& w, const std::optional<at::Tensor>& bias,
                   const Geometry& geometry, const Flags& flags);

// Computes the gradients by LibTorch. On CUDA LibTorch obeys its current switches.
Gradients backward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& w,
                   at::OptionalIntArrayRef bias_sizes, const Geometry& geometry,
                   const BackwardMask& mask);

// Computes the gradients by LibTorch. On CUDA LibTorch obeys `flags`, not its current switches.
Gradients backward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& w,
                   at::OptionalIntArrayRef bias_sizes, const Geometry& geometry,
                   const BackwardMask& mask, const Flags& flags);

// Returns the gradient of the bias: LibTorch's sum of `gradient` over all dimensions except that of
// the channels.
at::Tensor bias_gradient(const at::Tensor& gradient);

// Returns the memory format of the result of LibTorch's convolution in a direction, if LibTorch
// uses cuDNN for it. Returns nullopt if LibTorch may use another backend.
std::optional<at::MemoryFormat> format_of_cudnn(atc_direction direction, const Tensors& tensors,
                                                const Geometry& geometry);

}  // namespace atc_torch::original
