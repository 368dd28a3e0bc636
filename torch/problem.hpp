// Conversion between LibTorch's tensors and libatc's problems.
#pragma once

#include <optional>
#include <vector>

#include "atc/conv.h"
#include "geometry.hpp"
#include "statistics.hpp"

namespace atc_torch {

// The three tensors of a convolution in LibTorch's roles: `y` is the output, or its gradient. The
// one the direction writes may be undefined.
struct Tensors {
  const at::Tensor &x, &w, &y;
};

// Fills all of `out` but the strides of the tensor that the direction writes. Empty, or why atc
// cannot run the convolution.
std::optional<Reason> describe(atc_conv_problem& out, atc_direction direction,
                               const Tensors& tensors, const Geometry& geometry);

// Strides and shape of the tensor that the direction writes.
std::int64_t* output_strides(atc_conv_problem& problem);
std::vector<std::int64_t> output_shape(const atc_conv_problem& problem);

// Copies the strides. Strides of dimensions of extent 1 are not used; they become those of a dense
// tensor, or 1, so that they do not make two problems of one.
void copy_strides(std::int64_t* to, const at::Tensor& tensor);

// A view on a tensor's memory; the tensor must outlive it.
atc_tensor_view view_of(const at::Tensor& tensor);

at::ScalarType scalar_type(atc_dtype dtype);

}  // namespace atc_torch
