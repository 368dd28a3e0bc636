// Finds libtorch_cuda without a call of LibTorch. If LibTorch were asked too early, it would keep
// the answer that there is no CUDA. `libtorch_cpu` is the path of that library.
#pragma once

#include <cstdint>
#include <string>

namespace atc_torch {

// The path of libtorch_cuda beside libtorch_cpu, where LibTorch's own libraries lie. The file need
// not exist.
std::string cuda_file_beside(const std::string& libtorch_cpu);
bool cuda_is_loaded_beside(const std::string& libtorch_cpu);
std::int32_t cuda_state_beside(const std::string& libtorch_cpu);  // ATC_TORCH_CUDA_*

}  // namespace atc_torch
