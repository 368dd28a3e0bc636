// Whether two tensors share memory.
#pragma once

#include <cstdint>

#include "core/problem.hpp"

namespace atc {

// Whether an element of `a`, which begins at address `a_data`, and an element of `b`, which begins
// at `b_data`, have a byte in common. The answer is also exact for strided tensors whose elements
// lie between each other. There is one exception: if the search takes more than some thousand
// steps, the function returns false without proof. This cannot happen if the strides of one of the
// tensors are multiples of each other, as those of slices are.
bool share_memory(const Tensor& a, const void* a_data, const Tensor& b, const void* b_data);

}  // namespace atc
