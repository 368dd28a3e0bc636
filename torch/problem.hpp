// Converts tensors of LibTorch to problems of libatc and back.
#pragma once

#include <optional>
#include <vector>

#include "atc/conv.h"
#include "geometry.hpp"
#include "statistics.hpp"

namespace atc_torch {

// The three tensors of a convolution, named as in LibTorch: `x` is the input, `w` the weights, `y`
// the output or its gradient. The tensor that the direction writes may be undefined.
struct Tensors {
  const at::Tensor &x, &w, &y;
};

// Sets all fields of `out` except the strides of the tensor that the direction writes. Returns why
// atc cannot run the convolution. Empty if atc can run it.
std::optional<Reason> describe(atc_conv_problem& out, atc_direction direction,
                               const Tensors& tensors, const Geometry& geometry);

// output_strides returns the strides, and output_shape the shape, of the tensor that the problem's
// direction writes.
std::int64_t* output_strides(atc_conv_problem& problem);
std::vector<std::int64_t> output_shape(const atc_conv_problem& problem);

// Copies the strides of `tensor` to `to`, except the strides of dimensions with one element. Such a
// stride is never used, so LibTorch may give it any value. In its place a fixed value is written,
// so that equal problems have equal strides. If the tensor is dense (contiguous or channels last),
// the fixed value is the stride that LibTorch gives to a new dense tensor of the same shape and
// layout. If the tensor is not dense, the fixed value is 1.
void copy_strides(std::int64_t* to, const at::Tensor& tensor);

// Returns a view of the tensor's memory. The tensor must outlive the view.
atc_tensor_view view_of(const at::Tensor& tensor);

at::ScalarType scalar_type(atc_dtype dtype);

}  // namespace atc_torch
