// Whether two tensors share memory.
#pragma once

#include <cstdint>

#include "core/problem.hpp"

namespace atc {

// Whether an element of `a` at address `a_data` and one of `b` at `b_data` have a byte in common.
// Exact, also for strided tensors that lie between each other's elements, unless the answer takes
// more than some thousand steps: false then. No call needs that many if, in one of the tensors or
// in both, strides are multiples of each other, as those of slices are.
bool share_memory(const Tensor& a, const void* a_data, const Tensor& b, const void* b_data);

}  // namespace atc
