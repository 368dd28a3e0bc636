#include "cuda_library.hpp"

#include <dlfcn.h>

#include <filesystem>

#include "atc/torch.h"

namespace atc_torch {

namespace {

constexpr const char* kCudaLibrary = "libtorch_cuda.so";

}  // namespace

std::string cuda_file_beside(const std::string& libtorch_cpu) {
  return (std::filesystem::path(libtorch_cpu).parent_path() / kCudaLibrary).string();
}

bool cuda_is_loaded_beside(const std::string& libtorch_cpu) {
  // dlopen finds a loaded library by its name, from whichever folder it was loaded, or by its path.
  // Both are tried.
  for (const std::string& name : {std::string(kCudaLibrary), cuda_file_beside(libtorch_cpu)})
    if (void* const handle = dlopen(name.c_str(), RTLD_NOW | RTLD_NOLOAD)) {
      dlclose(handle);
      return true;
    }
  return false;
}

std::int32_t cuda_state_beside(const std::string& libtorch_cpu) {
  if (cuda_is_loaded_beside(libtorch_cpu)) return ATC_TORCH_CUDA_LOADED;
  std::error_code ignored;
  return std::filesystem::exists(cuda_file_beside(libtorch_cpu), ignored)
             ? ATC_TORCH_CUDA_NOT_LOADED
             : ATC_TORCH_CUDA_ABSENT;
}

}  // namespace atc_torch
