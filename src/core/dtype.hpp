// Element types of tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace atc {

// The types that the elements of a tensor can have. The values equal `atc_dtype` in
// include/atc/conv.h.
enum class Dtype : std::int32_t { f32 = 1, bf16 = 2, f16 = 3 };

constexpr std::size_t size_of(Dtype dtype) { return dtype == Dtype::f32 ? 4 : 2; }

constexpr std::string_view name_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::f32:
      return "f32";
    case Dtype::bf16:
      return "bf16";
    case Dtype::f16:
      return "f16";
  }
  return "?";
}

// Returns half of the distance from 1 to the next larger number of the format. This is the largest
// relative error of one rounding.
constexpr double unit_roundoff(Dtype dtype) {
  switch (dtype) {
    case Dtype::f32:
      return 1.0 / (1 << 24);
    case Dtype::bf16:
      return 1.0 / (1 << 8);
    case Dtype::f16:
      return 1.0 / (1 << 11);
  }
  return 0;
}

}  // namespace atc
