// Functions that decide which problems are pointwise convolutions, and which of them the pointwise
// kernels can compute.
#pragma once

#include <cstdint>
#include <string>

#include "core/problem.hpp"
#include "engines/engine.hpp"

namespace atc::dense {

// Returns whether each output depends only on the input pixel at the same place (and on the
// filters).
bool is_pointwise(const Problem& problem);

// Returns why the kernel of backward-weight cannot compute a pointwise problem, as a text for
// people; "" if it can.
std::string pointwise_weight_objection(const Problem& problem, const Limits& limits);

// Returns why the kernel of forward and backward-data cannot compute a pointwise problem, as a text
// for people; "" if it can.
std::string pointwise_objection(const Problem& problem, const Limits& limits);

// Returns the number of pixels of an image.
std::int64_t pixels_of(const Problem& problem);

// For backward-weight: returns how operands are copied if a row (a channel of an image) has
// `row_bytes` bytes and an element has `element` bytes. 16: tensor maps are used. 8 or 4: threads
// make copies of 8 or 4 bytes. 0: the kernel cannot copy such rows.
int copy_of(std::int64_t row_bytes, std::int64_t element);

}  // namespace atc::dense
