#include "core/half.hpp"

#include <cmath>
#include <cstring>

namespace atc {

namespace {

std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

float float_of(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// Rounds `value` to float by the method "round to odd": if no float has exactly this value, the
// result is that one of the two neighbouring floats whose last bit is 1. If the result is then
// rounded to a format that is at least two bits narrower, this gives the same number as rounding
// `value` directly (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", IEEE TC
// 57(4), 2008). So the conversion double -> float -> half rounds correctly.
float round_to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || !std::isfinite(nearest)) return nearest;
  const std::uint32_t bits = bits_of(nearest);
  if (bits & 1) return nearest;
  return float_of(std::fabs(static_cast<double>(nearest)) > std::fabs(value) ? bits - 1 : bits + 1);
}

// Returns `bits` / 2^drop, rounded to nearest, ties to even.
std::uint32_t shift_round(std::uint32_t bits, int drop) {
  const std::uint32_t half = std::uint32_t{1} << (drop - 1);
  return (bits + half - 1 + ((bits >> drop) & 1)) >> drop;
}

}  // namespace

float bf16_to_float(std::uint16_t bits) { return float_of(static_cast<std::uint32_t>(bits) << 16); }

float f16_to_float(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
  const std::uint32_t magnitude = bits & 0x7fff;
  if (magnitude >= 0x7c00)  // infinity and NaN
    return float_of(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
  if (magnitude >= 0x400) return float_of(sign | ((magnitude << 13) + ((127u - 15u) << 23)));
  // The number is subnormal in f16, and exact in float.
  const float tiny = static_cast<float>(magnitude) * 0x1p-24f;
  return sign ? -tiny : tiny;
}

std::uint16_t bf16_from_double(double value) {
  const std::uint32_t bits = bits_of(round_to_odd(value));
  if (std::isnan(value)) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
  return static_cast<std::uint16_t>(shift_round(bits & 0x7fffffff, 16) | (bits >> 16 & 0x8000));
}

std::uint16_t f16_from_double(double value) {
  const std::uint32_t bits = bits_of(round_to_odd(value));
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000);
  const std::uint32_t magnitude = bits & 0x7fffffff;
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7e00);
  // Numbers from 65520 on become infinity, because they exceed the range of f16.
  if (magnitude >= 0x477ff000) return static_cast<std::uint16_t>(sign | 0x7c00);
  // Numbers from 2^-14 on are normal numbers of f16.
  if (magnitude >= 0x38800000)
    return static_cast<std::uint16_t>(sign | shift_round(magnitude - ((127u - 15u) << 23), 13));
  const int exponent = static_cast<int>(magnitude >> 23);
  // The number of low bits to drop from the mantissa, so that the last bit that remains stands for
  // 2^-24, the smallest subnormal number of f16.
  const int drop = 126 - exponent;
  if (drop > 24)
    // The number is less than half of the smallest subnormal number of f16, so it is rounded to 0.
    return sign;
  return static_cast<std::uint16_t>(sign | shift_round((magnitude & 0x7fffff) | 0x800000, drop));
}

double load_element(const void* buffer, Dtype dtype, std::int64_t index) {
  switch (dtype) {
    case Dtype::f32:
      return static_cast<const float*>(buffer)[index];
    case Dtype::bf16:
      return bf16_to_float(static_cast<const std::uint16_t*>(buffer)[index]);
    case Dtype::f16:
      return f16_to_float(static_cast<const std::uint16_t*>(buffer)[index]);
  }
  return 0;
}

void store_element(void* buffer, Dtype dtype, std::int64_t index, double value) {
  switch (dtype) {
    case Dtype::f32:
      static_cast<float*>(buffer)[index] = static_cast<float>(value);
      return;
    case Dtype::bf16:
      static_cast<std::uint16_t*>(buffer)[index] = bf16_from_double(value);
      return;
    case Dtype::f16:
      static_cast<std::uint16_t*>(buffer)[index] = f16_from_double(value);
      return;
  }
}

double round_to(Dtype dtype, double value) {
  switch (dtype) {
    case Dtype::f32:
      return static_cast<float>(value);
    case Dtype::bf16:
      return bf16_to_float(bf16_from_double(value));
    case Dtype::f16:
      return f16_to_float(f16_from_double(value));
  }
  return value;
}

}  // namespace atc
