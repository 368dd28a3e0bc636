// Conversions between bf16 or f16 and the wider types in which arithmetic is done. Each rounds
// exactly once, to nearest, ties to even. (A conversion from double by way of float would round
// twice.)
#pragma once

#include <cstdint>

#include "core/dtype.hpp"

namespace atc {

float bf16_to_float(std::uint16_t bits);
float f16_to_float(std::uint16_t bits);
// Converts to bf16; too large numbers become infinity, and NaN remains NaN.
std::uint16_t bf16_from_double(double value);
std::uint16_t f16_from_double(double value);

// Read and write element `index` of a buffer of `dtype`. The buffer must have the alignment of an
// element.
double load_element(const void* buffer, Dtype dtype, std::int64_t index);
void store_element(void* buffer, Dtype dtype, std::int64_t index, double value);

// Returns the number that `value` becomes when it is stored as `dtype`.
double round_to(Dtype dtype, double value);

}  // namespace atc
