// The strides that LibTorch gives its outputs. They depend on the backend, which LibTorch alone
// chooses for a convolution. So they are observed once for each problem, and remembered.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>

#include "problem.hpp"

namespace atc_torch {

// Everything LibTorch's choice depends on.
class LayoutKey {
 public:
  // The output strides of `problem` are 0 here. The key also needs the tensors, for two reasons:
  // LibTorch reads the strides of dimensions of one element, which a problem does not keep; and the
  // layout of each gradient depends on both x and w, but the problem of a gradient has only one of
  // them as input.
  LayoutKey(const atc_conv_problem& problem, const Tensors& tensors, bool needs_gradient);
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Fills the output's strides from LibTorch's result. Returns false if atc cannot write this layout.
bool take_output_layout(atc_conv_problem& problem, const at::Tensor& output);

// Fills the output's strides from memory. Returns false if they have not been observed yet.
bool recall_output_layout(atc_conv_problem& problem, const LayoutKey& key);
// For CUDA tensors: fills and remembers the strides by the rule of LibTorch's cuDNN backend,
// without running LibTorch. Returns false if another backend may run.
bool foresee_output_layout(atc_conv_problem& problem, const LayoutKey& key, const Tensors& tensors,
                           const Geometry& geometry);
// Like take_output_layout, but also remembers the strides.
bool learn_output_layout(atc_conv_problem& problem, const LayoutKey& key, const at::Tensor& output);

}  // namespace atc_torch
