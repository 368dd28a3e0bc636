// Describes the LibTorch of this process: its version, and whether libtorch_cuda is loaded.
#pragma once

#include <cstdint>
#include <string>

#include "atc/torch.h"

namespace atc_torch {

std::string libtorch_version();  // for example "2.11.0"

// Returns one of ATC_TORCH_CUDA_*: libtorch_cuda is absent, not loaded, or loaded. LibTorch itself
// is not called: if LibTorch is asked whether there is CUDA before libtorch_cuda is loaded, the
// answer is no, and LibTorch never changes this answer.
std::int32_t cuda_state();
bool cuda_is_loaded();
void load_cuda();  // loads libtorch_cuda; throws Failure if it cannot be loaded

void describe_libraries(atc_torch_info& info);

}  // namespace atc_torch
