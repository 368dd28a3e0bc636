// Which LibTorch is in the process, and whether its CUDA half is.
#pragma once

#include <cstdint>
#include <string>

#include "atc/torch.h"

namespace atc_torch {

std::string libtorch_version();  // of the LibTorch in this process: "2.11.0"

// One of ATC_TORCH_CUDA_*: whether CUDA can be used by the LibTorch of this process. LibTorch
// itself is not asked, because it would remember the answer that there is no CUDA.
std::int32_t cuda_state();
bool cuda_is_loaded();
void load_cuda();  // throws Failure

void describe_libraries(atc_torch_info& info);

}  // namespace atc_torch
