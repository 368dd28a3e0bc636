// The functions for modules and kernel launches in the library that replaces CUDA's driver in
// tests. The image of a module is not read. A launch runs the version of the kernel that is
// compiled for the host.
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "fault/driver/driver.hpp"
#include "fault/driver/host_kernels.hpp"

using namespace atc::fault;

namespace {

constexpr double kLaunchSeconds = 1e-6;

const std::map<std::string, Kernel>& kernels() {
  static const auto* const kernels = [] {
    auto* const all = new std::map<std::string, Kernel>;
    for (const auto& some :
         {tensor_kernels(), reference_kernels(), timing_kernels(), epilogue_kernels()})
      for (const Kernel& kernel : some) all->emplace(kernel.name, kernel);
    return all;
  }();
  return *kernels;
}

}  // namespace

EXPORT int cuModuleLoadData(void** module, const void* image) {
  if (const int status = entered(__func__)) return status;
  if (!has_context()) return kInvalidContext;
  if (image == nullptr) return kInvalidValue;
  *module = const_cast<void*>(image);
  return 0;
}

EXPORT int cuModuleGetFunction(const void** function, void* module, const char* name) {
  if (const int status = entered(__func__)) return status;
  if (module == nullptr) return kInvalidHandle;
  const auto known = kernels().find(name);
  if (known == kernels().end()) return kNotFound;
  *function = &known->second;
  return 0;
}

EXPORT int cuLibraryLoadData(void** library, const void* image, int*, void**, unsigned, int*,
                             void**, unsigned) {
  if (const int status = entered(__func__)) return status;
  if (image == nullptr) return kInvalidValue;
  *library = const_cast<void*>(image);
  return 0;
}

EXPORT int cuLibraryGetKernel(const void** kernel, void* library, const char* name) {
  if (const int status = entered(__func__)) return status;
  if (library == nullptr) return kInvalidHandle;
  const auto known = kernels().find(name);
  if (known == kernels().end()) return kNotFound;
  *kernel = &known->second;
  return 0;
}

EXPORT int cuKernelGetFunction(const void** function, const void* kernel) {
  if (const int status = entered(__func__)) return status;
  if (!has_context()) return kInvalidContext;
  if (kernel == nullptr) return kInvalidHandle;
  *function = kernel;
  return 0;
}

EXPORT int cuKernelSetAttribute(int, int, const void* kernel, int) {
  if (const int status = entered(__func__)) return status;
  return kernel == nullptr ? kInvalidHandle : 0;
}

// Always returns an error. No test needs a tensor map, because no kernel that runs on the host
// takes one.
EXPORT int cuTensorMapEncodeTiled(void*, int, std::uint32_t, void*, const std::uint64_t*,
                                  const std::uint64_t*, const std::uint32_t*, const std::uint32_t*,
                                  int, int, int, int) {
  if (const int status = entered(__func__)) return status;
  return kInvalidValue;
}

EXPORT int cuLaunchKernel(const void* function, unsigned blocks, unsigned, unsigned, unsigned,
                          unsigned, unsigned, unsigned, void* stream, void** arguments, void**) {
  if (const int status = entered(__func__)) return status;
  if (!has_context()) return kInvalidContext;
  if (function == nullptr) return kInvalidHandle;
  {
    static auto* const one_at_a_time = new std::mutex;
    const std::lock_guard lock(*one_at_a_time);
    static_cast<const Kernel*>(function)->run(blocks, arguments);
  }
  machine().work(kLaunchSeconds);
  machine().graphs.add_work(stream, 1);
  return 0;
}
