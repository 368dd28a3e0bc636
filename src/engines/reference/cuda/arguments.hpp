// Converts a problem to the arguments of the reference engine's CUDA kernels. This code does not
// use CUDA, so that tests can run the kernels on the host.
#pragma once

#include "core/problem.hpp"
#include "engines/reference/cuda/geometry.hpp"

namespace atc::reference {

DeviceGeometry device_geometry(const Problem& problem);
DeviceOperands device_operands(const Problem& problem, const Operands& operands);
// Converts the index of an element of the output to the five indices that the kernels use: two
// outer ones (such as image and channel) and three spatial ones.
DevicePosition device_position(const Tensor::Index& index, int spatial);
// Returns how many thread blocks (a power of two) together compute the sum of one element of the
// output.
unsigned splits_of(const Problem& problem);

}  // namespace atc::reference
