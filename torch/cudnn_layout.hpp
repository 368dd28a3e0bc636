// The memory formats that LibTorch gives the results of its cuDNN backend.
#pragma once

#include <ATen/core/Tensor.h>

#include "problem.hpp"

namespace atc_torch {

// Returns the format of the tensor that the direction writes, for images and volumes. `format` is
// the format in which LibTorch passes x to the backend
// (at::native::_determine_backend_memory_format). The format of a gradient does not follow from x
// and w alone: LibTorch first brings y into the format of x, and a tensor with extents of 1 may be
// dense in both formats.
at::MemoryFormat format_by_cudnn(atc_direction direction, bool transposed, const Tensors& tensors,
                                 at::MemoryFormat format);

}  // namespace atc_torch
