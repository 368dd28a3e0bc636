// Tensor maps: how the copies of boxes by compute capability 9.0 (cp.async.bulk.tensor) see a
// tensor in device memory.
#pragma once

#include <cstdint>

#include "core/dtype.hpp"

namespace atc::cuda {

// The tensor map as the driver writes it. Kernels receive it as an argument.
struct alignas(64) TensorMap {
  unsigned char bytes[128];
};

// A tensor of three dimensions, the contiguous one first, and the box that a copy takes. In shared
// memory the box is dense, and its rows of swizzle bytes are permuted. Elements outside of the
// tensor are copied as zeros.
struct Boxes {
  // f32: a copy rounds to TF32, to the nearest, ties away from zero.
  Dtype dtype = Dtype::f32;
  std::uint64_t extents[3] = {};
  std::uint64_t strides[2] = {};  // bytes, of the second and third dimension; multiples of 16
  std::uint32_t box[3] = {};      // elements
  int swizzle = 128;              // bytes of a box's row: 64 or 128
};

// Returns the map of the tensor at `address`, a multiple of 16. Throws Error(device) if the driver
// refuses it.
TensorMap tensor_map(const Boxes& boxes, const void* address);

}  // namespace atc::cuda
