// The strides LibTorch gives its outputs. They depend on the backend that LibTorch alone chooses
// for a convolution; so they are observed once per problem and remembered.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>

#include "problem.hpp"

namespace atc_torch {

// Everything LibTorch's choice depends on.
class LayoutKey {
 public:
  // `problem` has output strides of 0 here. The key needs the tensors besides it: LibTorch looks at
  // the strides of dimensions of one element, which a problem does not keep, and the layout of
  // either gradient depends on both x and w, of which a gradient's problem has only one as input.
  LayoutKey(const atc_conv_problem& problem, const Tensors& tensors, bool needs_gradient);
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Fills the output's strides from what LibTorch returned; false: not a layout atc can write.
bool take_output_layout(atc_conv_problem& problem, const at::Tensor& output);

// Fills the output's strides; false: not seen yet.
bool recall_output_layout(atc_conv_problem& problem, const LayoutKey& key);
// For CUDA tensors: fills and remembers the strides by the rule of LibTorch's cuDNN backend,
// without running LibTorch; false: another backend may run.
bool foresee_output_layout(atc_conv_problem& problem, const LayoutKey& key, const Tensors& tensors,
                           const Geometry& geometry);
// Like take_output_layout, but also remembers the strides.
bool learn_output_layout(atc_conv_problem& problem, const LayoutKey& key, const at::Tensor& output);

}  // namespace atc_torch
