// Predicts the memory format (contiguous or channels last) of a result that LibTorch computes by
// cuDNN.
#pragma once

#include <ATen/core/Tensor.h>

#include "problem.hpp"

namespace atc_torch {

// Returns the memory format of the tensor that a convolution in this direction writes. The
// convolution must have two or three spatial dimensions. `format` is the format in which LibTorch
// passes x to cuDNN (at::native::_determine_backend_memory_format). The format of a gradient also
// depends on y, which LibTorch first converts to the format of x. If y has extents of 1, its
// strides may fit both formats, and LibTorch does not change them.
at::MemoryFormat format_by_cudnn(atc_direction direction, bool transposed, const Tensors& tensors,
                                 at::MemoryFormat format);

}  // namespace atc_torch
