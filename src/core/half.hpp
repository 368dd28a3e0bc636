// Conversions between bf16 or f16 and wider types. Each conversion rounds exactly once, to nearest,
// ties to even. (A conversion from double to float and then to f16 would round twice.)
#pragma once

#include <cstdint>

#include "core/dtype.hpp"

namespace atc {

float bf16_to_float(std::uint16_t bits);
float f16_to_float(std::uint16_t bits);
// Convert to bf16 and to f16. Numbers that are too large become infinity. NaN remains NaN.
std::uint16_t bf16_from_double(double value);
std::uint16_t f16_from_double(double value);

// Read or write the element with this index in a buffer whose elements have the type `dtype`. The
// buffer must be aligned to the size of an element.
double load_element(const void* buffer, Dtype dtype, std::int64_t index);
void store_element(void* buffer, Dtype dtype, std::int64_t index, double value);

// Returns the number that `value` becomes when it is stored as `dtype`.
double round_to(Dtype dtype, double value);

}  // namespace atc
