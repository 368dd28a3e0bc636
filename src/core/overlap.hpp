// Finds out whether two tensors share memory.
#pragma once

#include <cstdint>

#include "core/problem.hpp"

namespace atc {

// Whether an element of `a` and an element of `b` have a byte in common. `a` begins at the address
// `a_data`, and `b` at `b_data`. The result is exact, also for strided tensors whose elements lie
// between each other, with one exception: if the search takes more than some thousand steps, it
// ends and the result is false. This cannot happen if the strides of one tensor are multiples of
// each other, as is the case for slices.
bool share_memory(const Tensor& a, const void* a_data, const Tensor& b, const void* b_data);

}  // namespace atc
