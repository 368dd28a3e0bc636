// The names of directions, data types and activations in the JSON of a problem, in the order of the
// constants in atc/conv.h. The first constant has the value 1.
#pragma once

#include <array>
#include <string_view>

namespace atc::ffi {

constexpr std::array<std::string_view, 3> kDirectionNames = {"forward", "backward-data",
                                                             "backward-weight"};
constexpr std::array<std::string_view, 3> kDtypeNames = {"f32", "bf16", "f16"};
constexpr std::array<std::string_view, 9> kActivationNames = {
    "relu", "relu6", "clamp", "silu", "gelu", "gelu-tanh", "hard-swish", "sigmoid", "leaky-relu"};

// Returns the name of a value. The value must be valid.
template <std::size_t N>
constexpr std::string_view name_of(std::int32_t value,
                                   const std::array<std::string_view, N>& names) {
  return names[static_cast<std::size_t>(value - 1)];
}

}  // namespace atc::ffi
