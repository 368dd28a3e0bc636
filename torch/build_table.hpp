// The table of functions that a build of the bridge exports. The loader (libatc_torch) calls the
// functions of the build for the LibTorch of the process through this table. A build is compiled
// for one minor version of LibTorch. The loader and the builds of one installation are compiled
// from the same sources. So if the table of a build is shorter than the loader expects, the build
// belongs to another version of atc.
#pragma once

#include <cstddef>

#include "atc/torch.h"

namespace atc_torch {

struct BuildTable {
  std::size_t size;  // the size of this table of functions in bytes
  atc_status (*plugin_init)() noexcept;
  decltype(&atc_torch_init) init;
  decltype(&atc_torch_describe) describe;
  decltype(&atc_torch_load_cuda) load_cuda;
  decltype(&atc_torch_set_fill_uninitialized_memory) set_fill_uninitialized_memory;
  decltype(&atc_torch_get_fill_uninitialized_memory) get_fill_uninitialized_memory;
  decltype(&atc_torch_set_float32_matmul_precision) set_float32_matmul_precision;
  decltype(&atc_torch_get_float32_matmul_precision) get_float32_matmul_precision;
  decltype(&atc_torch_install) install;
  decltype(&atc_torch_uninstall) uninstall;
  decltype(&atc_torch_statistics_get) statistics_get;
  decltype(&atc_torch_statistics_reset) statistics_reset;
  decltype(&atc_torch_forget_weights) forget_weights;
  decltype(&atc_torch_convolution) convolution;
  decltype(&atc_torch_record_start) record_start;
  decltype(&atc_torch_record_stop) record_stop;
  // sets the folder in which relative paths begin; `folder` must never be freed
  void (*use_start_folder)(const char* folder) noexcept;
};

// The name of the symbol under which a build of the bridge exports its table of functions.
constexpr const char* kBuildTable = "atc1_torch_build";

}  // namespace atc_torch

extern "C" __attribute__((visibility("default"))) const atc_torch::BuildTable atc1_torch_build;
