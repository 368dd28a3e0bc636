// Tensor maps. A tensor map describes a tensor in device memory. From this description, devices of
// compute capability 9.0 copy boxes of the tensor to shared memory (the instruction
// cp.async.bulk.tensor).
#pragma once

#include <cstdint>

#include "core/dtype.hpp"

namespace atc::cuda {

// The tensor map in the driver's format. It is passed to kernels as an argument.
struct alignas(64) TensorMap {
  unsigned char bytes[128];
};

// Describes a tensor of three dimensions, the contiguous dimension first, and the box of elements
// that one copy takes. In shared memory the box is dense. Each row of the box has `swizzle` bytes.
// The copy permutes the 16-byte chunks of a row, to avoid bank conflicts. Elements outside of the
// tensor are copied as zeros.
struct Boxes {
  // The type of the elements. If it is f32, a copy rounds to TF32 (to nearest, ties away from
  // zero).
  Dtype dtype = Dtype::f32;
  std::uint64_t extents[3] = {};
  // Strides of the second and third dimension in bytes; multiples of 16.
  std::uint64_t strides[2] = {};
  std::uint32_t box[3] = {};  // extents of the box (the part that one copy takes) in elements
  int swizzle = 128;          // bytes of a row of the box in shared memory: 64 or 128
};

// Returns the map of the tensor at `address`, which must be a multiple of 16. Throws Error(device)
// if the driver refuses the map.
TensorMap tensor_map(const Boxes& boxes, const void* address);

}  // namespace atc::cuda
