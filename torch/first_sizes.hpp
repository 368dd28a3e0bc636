// The sizes, in bytes, that the structs of the bridge had when they were first released. Never
// change a number here: programs that were built against the first release pass these sizes.
#pragma once

#include <cstddef>

#include "atc/torch.h"

namespace atc_torch {

struct FirstVersion {
  const char* type;
  std::size_t size;
};

// Returns the name of the struct T and its size in its first version. Defined only for structs that
// callers pass.
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
