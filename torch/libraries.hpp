// Which LibTorch is in the process, and whether libtorch_cuda is loaded.
#pragma once

#include <cstdint>
#include <string>

#include "atc/torch.h"

namespace atc_torch {

std::string libtorch_version();  // the version of the LibTorch in this process: "2.11.0"

// Returns one of ATC_TORCH_CUDA_*: whether the LibTorch of this process can use CUDA. LibTorch
// itself is not asked: if it were asked too early, it would keep the answer that there is no CUDA.
std::int32_t cuda_state();
bool cuda_is_loaded();
void load_cuda();  // throws Failure

void describe_libraries(atc_torch_info& info);

}  // namespace atc_torch
