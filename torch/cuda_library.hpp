// Finds libtorch_cuda without calling LibTorch. The reason: if LibTorch is asked whether there is
// CUDA before libtorch_cuda is loaded, the answer is no, and LibTorch never changes this answer.
// `libtorch_cpu` is the path of the loaded libtorch_cpu.so.
#pragma once

#include <cstdint>
#include <string>

namespace atc_torch {

// Returns the path that libtorch_cuda.so has if it is in the folder of libtorch_cpu.so. The file
// need not exist.
std::string cuda_file_beside(const std::string& libtorch_cpu);
bool cuda_is_loaded_beside(const std::string& libtorch_cpu);
// returns one of the constants ATC_TORCH_CUDA_*
std::int32_t cuda_state_beside(const std::string& libtorch_cpu);

}  // namespace atc_torch
