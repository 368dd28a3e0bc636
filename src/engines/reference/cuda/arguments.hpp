// The arguments of the reference's kernels. This code needs no CUDA, so that tests can run the
// kernels on the host.
#pragma once

#include "core/problem.hpp"
#include "engines/reference/cuda/geometry.hpp"

namespace atc::reference {

DeviceGeometry device_geometry(const Problem& problem);
DeviceOperands device_operands(const Problem& problem, const Operands& operands);
// An index into the output, which always has five dimensions here.
DevicePosition device_position(const Tensor::Index& index, int spatial);
// The number of blocks that add up the sum of one element (a power of two).
unsigned splits_of(const Problem& problem);

}  // namespace atc::reference
