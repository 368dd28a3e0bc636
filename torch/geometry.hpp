// The arguments of LibTorch's convolution operators that describe the geometry, such as stride and
// padding.
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

// The four flags that aten::_convolution has as arguments. LibTorch uses them only on CUDA.
struct Flags {
  bool benchmark = false, deterministic = false, cudnn_enabled = true, allow_tf32 = true;
};

using BackwardMask = std::array<bool, 3>;  // true for each wanted gradient: of x, of w, of the bias
using Gradients = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

}  // namespace atc_torch
