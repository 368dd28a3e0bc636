// Whether two tensors share memory.
#pragma once

#include <cstdint>

#include "core/problem.hpp"

namespace atc {

// Whether an element of `a` at address `a_data` and one of `b` at `b_data` have a byte in common.
// Exact, also for strided tensors whose elements lie between each other. Only if the answer takes
// more than some thousand steps, the result is false unproved. That cannot happen if the strides of
// one of the tensors are multiples of each other, as those of slices are.
bool share_memory(const Tensor& a, const void* a_data, const Tensor& b, const void* b_data);

}  // namespace atc
