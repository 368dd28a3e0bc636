#include "libraries.hpp"

#include <ATen/Context.h>
#include <ATen/Version.h>
#include <caffe2/core/common.h>
#include <dlfcn.h>

#include <atomic>

#include "cuda_library.hpp"
#include "libtorch_version.hpp"
#include "structs.hpp"

namespace atc_torch {

namespace {

std::string file_of(const void* address) {
  Dl_info info;
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

std::string libtorch_file() { return file_of(reinterpret_cast<const void*>(&at::show_config)); }

std::string cuda_file() { return cuda_file_beside(libtorch_file()); }

const at::CUDAHooksInterface& cuda_hooks() { return at::detail::getCUDAHooks(); }

}  // namespace

std::string libtorch_version() {
  // at::show_config() would also return the version. But it asks LibTorch whether there is CUDA,
  // and LibTorch keeps its first answer, so it is not called here.
  const auto& options = caffe2::GetBuildOptions();
  const auto version = options.find("TORCH_VERSION");
  return version != options.end() ? version->second : "";
}

bool cuda_is_loaded() {
  // A loaded libtorch_cuda stays, because LibTorch's dispatcher refers to it. The answer is kept,
  // because a search among the hundreds of libraries of a Python program takes 0.3 ms, and each new
  // problem asks.
  static std::atomic<bool> loaded{false};
  if (!loaded.load(std::memory_order_relaxed))
    loaded.store(cuda_is_loaded_beside(libtorch_file()), std::memory_order_relaxed);
  return loaded.load(std::memory_order_relaxed);
}

std::int32_t cuda_state() { return cuda_state_beside(libtorch_file()); }

void load_cuda() {
  const std::string file = cuda_file();
  if (cuda_state() == ATC_TORCH_CUDA_ABSENT)
    throw Failure(ATC_ERROR_LIBRARY, file + " does not exist: this LibTorch is built without CUDA");
  if (!cuda_is_loaded() && dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr)
    throw Failure(ATC_ERROR_LIBRARY, std::string("libtorch_cuda cannot be loaded: ") + dlerror());
  if (!at::Context::hasCuDNN() && !at::Context::hasCUDA())
    throw Failure(ATC_ERROR_LIBRARY,
                  "libtorch_cuda was loaded after LibTorch had been asked for CUDA, and its answer "
                  "stays: call load_cuda first, or link with -Wl,--no-as-needed "
                  "-ltorch_cuda");
}

void describe_libraries(atc_torch_info& info) {
  info.cuda = cuda_state();
  copy_text(info.version, libtorch_version());
  copy_text(info.built_for, TORCH_VERSION);
  copy_text(info.file, libtorch_file());
  if (info.cuda != ATC_TORCH_CUDA_ABSENT) copy_text(info.cuda_file, cuda_file());
  if (info.cuda != ATC_TORCH_CUDA_LOADED) return;
  info.cuda_available = at::Context::hasCUDA() ? 1 : 0;
  if (!at::Context::hasCuDNN()) return;
  // The two functions that return versions of cuDNN throw if cuDNN cannot be loaded, for example if
  // one of its libraries is missing.
  try {
    info.cudnn_compiled_version = cuda_hooks().versionCuDNN();
    info.cudnn_version = cuda_hooks().versionRuntimeCuDNN();
  } catch (const std::exception&) {
    info.cudnn_version = 0;
  }
}

}  // namespace atc_torch
