#include "device/cuda/cublaslt.hpp"

#include "core/error.hpp"
#include "core/format.hpp"
#include "device/cuda/driver_probe.hpp"
#include "device/cuda/library_search.hpp"
#include "device/cuda/symbols.hpp"

namespace atc::cuda {

namespace {

// Looks up the functions for matrix products. Returns the name of the first function that the
// library does not have, or "".
std::string load_products(void* handle, lt::Api& api) {
  Symbols find(handle);
  find("cublasLtGetStatusName", api.status_name);
  find("cublasLtCreate", api.create);
  find("cublasLtMatmulDescCreate", api.create_operation);
  find("cublasLtMatmulDescDestroy", api.destroy_operation);
  find("cublasLtMatmulDescSetAttribute", api.set_operation);
  find("cublasLtMatrixLayoutCreate", api.create_layout);
  find("cublasLtMatrixLayoutDestroy", api.destroy_layout);
  find("cublasLtMatrixLayoutSetAttribute", api.set_layout);
  find("cublasLtMatmulPreferenceCreate", api.create_preference);
  find("cublasLtMatmulPreferenceDestroy", api.destroy_preference);
  find("cublasLtMatmulPreferenceSetAttribute", api.set_preference);
  find("cublasLtMatmulAlgoGetHeuristic", api.propose);
  find("cublasLtMatmulAlgoInit", api.init_algorithm);
  find("cublasLtMatmulAlgoConfigSetAttribute", api.set_algorithm);
  find("cublasLtMatmulAlgoConfigGetAttribute", api.get_algorithm);
  find("cublasLtMatmulAlgoCapGetAttribute", api.get_capability);
  find("cublasLtMatmulAlgoCheck", api.check_algorithm);
  find("cublasLtMatmul", api.multiply);
  return find.missing();
}

CublasLtLibrary look() {
  CublasLtLibrary library;
  if (driver().devices.empty()) {
    library.trouble = "not looked for, because no CUDA device can be used";
    return library;
  }
  // The Python wheels of all libraries of CUDA 13 install into one common folder. Each Python wheel
  // of CUDA 12 has a folder of its own.
  const FoundLibrary found = find_library(
      {{"libcublasLt.so.13", "libcublasLt.so.12"}, {"nvidia/cu13/lib", "nvidia/cublas/lib"}});
  if (found.handle == nullptr) {
    library.trouble = format(
        "neither libcublasLt.so.13 nor libcublasLt.so.12 was found: install cuBLAS, or name its "
        "folder with set_library_path or ATC_LIBRARY_PATH ({})",
        found.trouble);
    return library;
  }
  library.loaded = true;
  library.file = found.file;
  Symbols find(found.handle);
  find("cublasLtGetVersion", library.api.version);
  find("cublasLtGetCudartVersion", library.api.runtime_version);
  library.lacking = load_products(found.handle, library.api);
  if (library.api.version != nullptr) library.version = library.api.version();
  library.trouble = find.missing().empty()
                        ? too_old_for(library.file, library.api.runtime_version())
                        : format("{} has no {}: it is no cuBLASLt that atc can use", library.file,
                                 find.missing());
  return library;
}

}  // namespace

const CublasLtLibrary& cublaslt() {
  static const CublasLtLibrary* const known = new CublasLtLibrary(look());
  return *known;
}

void lt::check(Status status, const char* what) {
  if (status == kSuccess) return;
  const std::string sentence = format("{}: {}", what, cublaslt().api.status_name(status));
  switch (status) {
    case kAllocationFailed:
      fail(atc::Status::out_of_memory, "{}", sentence);
    case kNotInitialized:
      fail(atc::Status::library, "{}: {} cannot be used", sentence, cublaslt().file);
    case kMappingError:
    case kExecutionFailed:
      fail(atc::Status::device,
           "{}; work given to the device earlier may have failed and be reported only now",
           sentence);
    default:
      fail(atc::Status::unsupported, "{}", sentence);
  }
}

}  // namespace atc::cuda
