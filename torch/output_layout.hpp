// Remembers the strides that LibTorch gives its outputs. The strides depend on the backend that
// LibTorch chooses for a convolution, and the bridge does not know this choice. So the strides are
// observed once for each problem, and remembered.
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

// Copies the output strides of the problem from a result of LibTorch. Returns false if atc cannot
// write a tensor with this layout.
bool take_output_layout(atc_conv_problem& problem, const at::Tensor& output);

// Sets the output strides of the problem to the remembered ones. Returns false if no strides are
// remembered for the key.
bool recall_output_layout(atc_conv_problem& problem, const LayoutKey& key);
// Sets and remembers the output strides of a problem on CUDA without running LibTorch, by the rule
// of LibTorch's cuDNN backend. Returns false if LibTorch may use another backend.
bool foresee_output_layout(atc_conv_problem& problem, const LayoutKey& key, const Tensors& tensors,
                           const Geometry& geometry);
// Copies the output strides of the problem from a result of LibTorch, and remembers them for the
// key. Returns false if atc cannot write a tensor with this layout.
bool learn_output_layout(atc_conv_problem& problem, const LayoutKey& key, const at::Tensor& output);

}  // namespace atc_torch
