// Remembers the strides that LibTorch gives its outputs, so that outputs of atc get the same
// strides. The strides depend on the backend that LibTorch chooses for a convolution, and the
// bridge does not know this choice. So LibTorch runs each new problem once, and the strides of its
// result are remembered.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>

#include "problem.hpp"

namespace atc_torch {

// The key of a remembered layout: everything on which LibTorch's choice of a backend and a layout
// depends.
class LayoutKey {
 public:
  // The output strides of `problem` must be 0. The key also contains the strides of the tensors,
  // for two reasons. First, LibTorch reads the strides of dimensions with one element, which a
  // problem does not contain. Second, the layout of a gradient depends on x and w, but the problem
  // of a gradient has only one of them as an input.
  LayoutKey(const atc_conv_problem& problem, const Tensors& tensors, bool needs_gradient);
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Sets the output strides of `problem` to those of `output`, a result of LibTorch. Returns false if
// atc cannot write a tensor with this layout.
bool take_output_layout(atc_conv_problem& problem, const at::Tensor& output);

// Sets the output strides of the problem to the remembered ones. Returns false if no strides are
// remembered for the key.
bool recall_output_layout(atc_conv_problem& problem, const LayoutKey& key);
// Predicts the output strides of a problem on CUDA by the rule that LibTorch has for results of
// cuDNN, and sets and remembers them. LibTorch need not run. Returns false if LibTorch does not use
// cuDNN for this problem, or if its rule cannot be applied.
bool foresee_output_layout(atc_conv_problem& problem, const LayoutKey& key, const Tensors& tensors,
                           const Geometry& geometry);
// Sets the output strides of `problem` to those of `output`, a result of LibTorch, and remembers
// them for the key. Returns false if atc cannot write a tensor with this layout.
bool learn_output_layout(atc_conv_problem& problem, const LayoutKey& key, const at::Tensor& output);

}  // namespace atc_torch
