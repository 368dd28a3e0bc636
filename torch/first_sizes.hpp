// The sizes, in bytes, that the bridge's structs had when they were first released. They never
// change, because programs built against the first release pass these sizes.
#pragma once

#include <cstddef>

#include "atc/torch.h"

namespace atc_torch {

struct FirstVersion {
  const char* type;
  std::size_t size;
};

// Declared only for structs that callers pass.
template <typename T>
constexpr FirstVersion first_version() = delete;

template <>
constexpr FirstVersion first_version<atc_torch_info>() {
  return {"atc_torch_info", 2216};
}
template <>
constexpr FirstVersion first_version<atc_torch_options>() {
  return {"atc_torch_options", 800};
}
template <>
constexpr FirstVersion first_version<atc_torch_statistics>() {
  return {"atc_torch_statistics", 80};
}
template <>
constexpr FirstVersion first_version<atc_torch_geometry>() {
  return {"atc_torch_geometry", 120};
}
template <>
constexpr FirstVersion first_version<atc_group>() {
  return {"atc_group", 64};
}

}  // namespace atc_torch
