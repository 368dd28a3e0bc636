// Conversion between LibTorch's tensors and libatc's problems.
#pragma once

#include <optional>
#include <vector>

#include "atc/conv.h"
#include "geometry.hpp"
#include "statistics.hpp"

namespace atc_torch {

// The three tensors of a convolution in LibTorch's roles: `y` is the output, or its gradient. The
// tensor that the direction writes may be undefined.
struct Tensors {
  const at::Tensor &x, &w, &y;
};

// Fills `out` except the strides of the tensor that the direction writes. Returns why atc cannot
// run the convolution; empty if it can.
std::optional<Reason> describe(atc_conv_problem& out, atc_direction direction,
                               const Tensors& tensors, const Geometry& geometry);

// The strides, and below the shape, of the tensor that the direction writes.
std::int64_t* output_strides(atc_conv_problem& problem);
std::vector<std::int64_t> output_shape(const atc_conv_problem& problem);

// Copies the strides. Strides of dimensions of extent 1 are never used. They are replaced by those
// of a dense tensor, or by 1, so that equal problems have equal strides.
void copy_strides(std::int64_t* to, const at::Tensor& tensor);

// A view on a tensor's memory; the tensor must outlive it.
atc_tensor_view view_of(const at::Tensor& tensor);

at::ScalarType scalar_type(atc_dtype dtype);

}  // namespace atc_torch
