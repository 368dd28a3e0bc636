// Which problems the kernels of pointwise convolutions compute.
#pragma once

#include <cstdint>
#include <string>

#include "core/problem.hpp"
#include "engines/engine.hpp"

namespace atc::dense {

// Whether each output depends on the pixel in the same place alone.
bool is_pointwise(const Problem& problem);

// Returns why the kernel of gradients of weights cannot compute a pointwise problem; "" if it can.
std::string pointwise_weight_objection(const Problem& problem, const Limits& limits);

// Returns why the kernel of forward and backward-data cannot compute a pointwise problem; "" if it
// can.
std::string pointwise_objection(const Problem& problem, const Limits& limits);

// Of an image.
std::int64_t pixels_of(const Problem& problem);

// The bytes that a gradient of weights copies at once from rows of `row_bytes`: 16 by a tensor map,
// less by plain copies. 0: there is no kernel for such rows.
int copy_of(std::int64_t row_bytes, std::int64_t element);

}  // namespace atc::dense
