// The table of functions that a library such as libatc_torch_group-2.11.so exports for the loader.
// The functions need LibTorch's c10d, which some LibTorch installations lack. So the functions are
// in separate libraries, and the builds of the bridge (build_table.hpp) can be loaded without c10d.
#pragma once

#include <cstddef>

#include "atc/torch.h"

namespace atc_torch {

struct GroupTable {
  std::size_t size;  // the size of this table of functions in bytes
  decltype(&atc_torch_group_open) open;
};

// The name of the symbol under which a library for groups exports its table of functions.
constexpr const char* kGroupTable = "atc1_torch_group";

}  // namespace atc_torch

extern "C" __attribute__((visibility("default"))) const atc_torch::GroupTable atc1_torch_group;
