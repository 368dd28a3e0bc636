// Runs a single convolution through atc that can be differentiated. The options of the forward
// convolution also apply to its gradients and to the gradients of the gradients.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

#include "options.hpp"

namespace atc_torch {

// A copy of a convolution's geometry. The copy owns its numbers, so that an autograd node can keep
// the copy.
struct OwnGeometry {
  std::vector<std::int64_t> stride, padding, dilation;
  bool transposed = false;
  std::vector<std::int64_t> output_padding;
  std::int64_t groups = 1;
};

// Runs a forward convolution and records it for autograd. Throws c10::Error if LibTorch refuses the
// arguments.
at::Tensor differentiable_convolution(const at::Tensor& x, const at::Tensor& w,
                                      const std::optional<at::Tensor>& bias,
                                      const OwnGeometry& geometry, const Options& options);

}  // namespace atc_torch
