#include "engines/libraries.hpp"

#include <dlfcn.h>

#include "core/format.hpp"
#include "device/cpu/openmp.hpp"
#include "device/cuda/cublaslt.hpp"
#include "device/cuda/driver_probe.hpp"
#include "device/cuda/nvml.hpp"
#include "engines/cudnn/library.hpp"
#include "engines/cudnn/remarks.hpp"
#ifdef ATC_WITH_ONEDNN
#include <oneapi/dnnl/dnnl.h>
#include <oneapi/dnnl/dnnl_version.h>
#endif

namespace atc {

namespace {

constexpr const char* kNotUsed = "not used, because no CUDA device can be used";

std::string file_of(const void* function) {
  Dl_info info;
  if (dladdr(function, &info) == 0 || info.dli_fname == nullptr) return "";
  return info.dli_fname;
}

Library onednn() {
  Library library;
  library.name = "oneDNN";
#ifdef ATC_WITH_ONEDNN
  const dnnl_version_t* const running = dnnl_version();
  library.loaded = true;
  library.version = format("{}.{}.{}", running->major, running->minor, running->patch);
  library.compiled_version =
      format("{}.{}.{}", DNNL_VERSION_MAJOR, DNNL_VERSION_MINOR, DNNL_VERSION_PATCH);
  library.file = file_of(reinterpret_cast<const void*>(&dnnl_version));
#else
  library.note =
      "this build leaves oneDNN out (ATC_ONEDNN=OFF): convolutions on the CPU run on the slow "
      "reference";
#endif
  return library;
}

Library openmp() {
  Library library;
  library.name = "OpenMP runtime";
  const void* const function = openmp_function("omp_get_max_threads");
  if (function == nullptr) {
    library.note = "no OpenMP runtime is loaded: convolutions of this process run on one thread";
    return library;
  }
  library.loaded = true;
  library.file = file_of(function);
  return library;
}

// The version of the CUDA toolkit with which atc's own kernels were compiled. 0 if this build has
// no such kernels.
constexpr int kToolkitVersion = ATC_CUDA_TOOLKIT_VERSION;

std::string cuda_version(int version) {  // CUDA's number 13000 means version 13.0
  return format("{}.{}", version / 1000, version % 1000 / 10);
}

Library cuda_driver() {
  const cuda::DriverProbe& probe = cuda::driver();
  Library library;
  library.name = "CUDA driver";
  library.loaded = probe.loaded;
  library.file = probe.file;
  library.note = probe.trouble;
  if (library.note.empty() && !probe.lacking.empty())
    library.note = format("it has no {}: CUDA devices cannot be used", probe.lacking);
  if (probe.version != 0) library.version = cuda_version(probe.version);
  if (kToolkitVersion == 0) return library;
  library.compiled_version = cuda_version(kToolkitVersion);
  if (library.note.empty() && probe.version / 1000 < kToolkitVersion / 1000)
    library.remarks.push_back(
        format("atc's own kernels were compiled with CUDA {}, the driver is for CUDA {}: where "
               "they cannot be loaded, nothing can be measured",
               library.compiled_version, library.version));
  return library;
}

// Describes a library that is used only with a CUDA device.
template <typename Known>
Library beside_cuda(const char* name, const Known& known) {
  Library library;
  library.name = name;
  library.loaded = known.loaded;
  library.file = known.file;
  library.note = cuda::driver().devices.empty() ? kNotUsed : known.trouble;
  return library;
}

std::string version_or_none(std::size_t version) {
  return version == 0 ? "" : cudnn::version_text(version);
}

Library cudnn_library() {
  Library library = beside_cuda("cuDNN", cudnn::library());
  library.version = version_or_none(cudnn::library().version);
  library.compiled_version = version_or_none(cudnn::kCompiledVersion);
  if (library.note.empty()) library.remarks = cudnn::remarks();
  return library;
}

Library cublaslt_library() {
  Library library = beside_cuda("cuBLASLt", cuda::cublaslt());
  library.version = version_or_none(cuda::cublaslt().version);
  return library;
}

Library nvml_library() {
  Library library = beside_cuda("NVML", cuda::nvml());
  library.version = cuda::nvml().driver;
  return library;
}

}  // namespace

std::vector<Library> libraries() {
  return {onednn(), openmp(), cuda_driver(), cudnn_library(), cublaslt_library(), nvml_library()};
}

}  // namespace atc
