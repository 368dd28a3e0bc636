// One convolution with an autograd node of atc's own. The options of the forward also hold for its
// gradients and for the gradients of these.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

#include "options.hpp"

namespace atc_torch {

// A copy of the convolution's geometry, which owns its numbers so that an autograd node can keep
// it.
struct OwnGeometry {
  std::vector<std::int64_t> stride, padding, dilation;
  bool transposed = false;
  std::vector<std::int64_t> output_padding;
  std::int64_t groups = 1;
};

// Throws c10::Error for arguments that LibTorch refuses.
at::Tensor differentiable_convolution(const at::Tensor& x, const at::Tensor& w,
                                      const std::optional<at::Tensor>& bias,
                                      const OwnGeometry& geometry, const Options& options);

}  // namespace atc_torch
