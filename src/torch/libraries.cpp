#include "libraries.hpp"

#include <ATen/Context.h>
#include <ATen/Version.h>
#include <dlfcn.h>
#include <torch/headeronly/version.h>

#include <filesystem>

#include "structs.hpp"

namespace atc_torch {

namespace {

constexpr const char* kCudaLibrary = "libtorch_cuda.so";

std::string file_of(const void* address) {
  Dl_info info;
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

std::string libtorch_file() { return file_of(reinterpret_cast<const void*>(&at::show_config)); }

// Beside libtorch_cpu, where LibTorch's own libraries lie.
std::string cuda_file() {
  return (std::filesystem::path(libtorch_file()).parent_path() / kCudaLibrary).string();
}

const at::CUDAHooksInterface& cuda_hooks() { return at::detail::getCUDAHooks(); }

}  // namespace

std::string version_in(const std::string& build_configuration) {
  const std::string field = "TORCH_VERSION=";
  const auto start = build_configuration.find(field);
  if (start == std::string::npos) return "";
  const auto value = start + field.size();
  const auto end = build_configuration.find_first_of(", \n", value);
  return build_configuration.substr(value, end == std::string::npos ? end : end - value);
}

std::string libtorch_version() {
  static const auto* const version = new std::string(version_in(at::show_config()));
  return *version;
}

void require_libtorch_version() {
  const std::string version = libtorch_version();
  if (version == TORCH_VERSION) return;
  throw Failure(ATC_ERROR_LIBRARY,
                "libatc_torch was built for LibTorch " TORCH_VERSION ", " + libtorch_file() +
                    " is " + (version.empty() ? "of an unknown version" : version) +
                    ": use LibTorch " TORCH_VERSION ", or build atc against the one that is used");
}

bool cuda_is_loaded() {
  // Loaded under whichever path: the loader knows it by its name.
  for (const std::string& name : {std::string(kCudaLibrary), cuda_file()})
    if (void* const handle = dlopen(name.c_str(), RTLD_NOW | RTLD_NOLOAD)) {
      dlclose(handle);
      return true;
    }
  return false;
}

std::int32_t cuda_state() {
  if (cuda_is_loaded()) return ATC_TORCH_CUDA_LOADED;
  std::error_code ignored;
  return std::filesystem::exists(cuda_file(), ignored) ? ATC_TORCH_CUDA_NOT_LOADED
                                                       : ATC_TORCH_CUDA_ABSENT;
}

void load_cuda() {
  const std::string file = cuda_file();
  if (cuda_state() == ATC_TORCH_CUDA_ABSENT)
    throw Failure(ATC_ERROR_LIBRARY, file + " does not exist: this LibTorch is built without CUDA");
  if (!cuda_is_loaded() && dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr)
    throw Failure(ATC_ERROR_LIBRARY, std::string("libtorch_cuda cannot be loaded: ") + dlerror());
  if (!at::globalContext().hasCuDNN() && !at::globalContext().hasCUDA())
    throw Failure(ATC_ERROR_LIBRARY,
                  "libtorch_cuda was loaded after LibTorch had been asked for CUDA, and its answer "
                  "stays: call atc_torch_load_cuda first, or link with -Wl,--no-as-needed "
                  "-ltorch_cuda");
}

void describe_libraries(atc_torch_info& info) {
  info.cuda = cuda_state();
  copy_text(info.version, libtorch_version());
  copy_text(info.built_for, TORCH_VERSION);
  copy_text(info.file, libtorch_file());
  if (info.cuda != ATC_TORCH_CUDA_ABSENT) copy_text(info.cuda_file, cuda_file());
  if (info.cuda != ATC_TORCH_CUDA_LOADED) return;
  info.cuda_available = at::globalContext().hasCUDA() ? 1 : 0;
  if (!at::globalContext().hasCuDNN()) return;
  // They throw where there is none, for example when the sublibraries are missing.
  try {
    info.cudnn_compiled_version = cuda_hooks().versionCuDNN();
    info.cudnn_version = cuda_hooks().versionRuntimeCuDNN();
  } catch (const std::exception&) {
    info.cudnn_version = 0;
  }
}

}  // namespace atc_torch
