// name_of() returns the name of the constant that has the value `number`. `names` has the names of
// the constants, whose values are 1, 2, 3 and so on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace atc::ffi {

template <std::size_t kCount>
const char* name_of(const std::array<const char*, kCount>& names, std::int32_t number,
                    const char* unknown) {
  if (number < 1 || static_cast<std::size_t>(number) > kCount) return unknown;
  return names[static_cast<std::size_t>(number) - 1];
}

}  // namespace atc::ffi
