// The arguments of a convolution other than tensors, as LibTorch's operators take them.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>

namespace atc_torch {

struct Geometry {
  at::IntArrayRef stride, padding, dilation;
  bool transposed = false;
  at::IntArrayRef output_padding;
  std::int64_t groups = 1;
};

// The flags that aten::_convolution takes with each call. LibTorch reads the flags for CUDA only.
struct Flags {
  bool benchmark = false, deterministic = false, cudnn_enabled = true, allow_tf32 = true;
};

using BackwardMask = std::array<bool, 3>;  // which gradients are wanted: of x, of w, of the bias
using Gradients = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

}  // namespace atc_torch
