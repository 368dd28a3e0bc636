// Predicts the memory format of a result that LibTorch's cuDNN backend computes.
#pragma once

#include <ATen/core/Tensor.h>

#include "problem.hpp"

namespace atc_torch {

// Returns the memory format of the tensor that a convolution in this direction writes. The
// convolution must have two or three spatial dimensions. `format` is the format in which LibTorch
// passes x to the backend (at::native::_determine_backend_memory_format). The format of a gradient
// also depends on y: LibTorch first converts y to the format of x. If y has extents of 1, it may be
// dense both channels first and channels last, and then keeps its strides.
at::MemoryFormat format_by_cudnn(atc_direction direction, bool transposed, const Tensors& tensors,
                                 at::MemoryFormat format);

}  // namespace atc_torch
