#include "device/cuda/cublaslt.hpp"

#include <fmt/format.h>

#include "device/cuda/driver_probe.hpp"
#include "device/cuda/library_search.hpp"
#include "device/cuda/symbols.hpp"

namespace atc::cuda {

namespace {

CublasLtLibrary look() {
  CublasLtLibrary library;
  if (driver().devices.empty()) {
    library.trouble = "not looked for, because no CUDA device can be used";
    return library;
  }
  // The wheels of CUDA 13 share a folder, those of CUDA 12 have one each.
  const FoundLibrary found = find_library(
      {{"libcublasLt.so.13", "libcublasLt.so.12"}, {"nvidia/cu13/lib", "nvidia/cublas/lib"}});
  if (found.handle == nullptr) {
    library.trouble = fmt::format(
        "neither libcublasLt.so.13 nor libcublasLt.so.12 was found ({}): install cuBLAS, or name "
        "its folder with atc_set_library_path or ATC_LIBRARY_PATH",
        found.trouble);
    return library;
  }
  library.loaded = true;
  library.file = found.file;
  Symbols find(found.handle);
  find("cublasLtGetVersion", library.api.version);
  find("cublasLtGetCudartVersion", library.api.runtime_version);
  if (library.api.version != nullptr) library.version = library.api.version();
  library.trouble = find.missing().empty()
                        ? too_old_for(library.file, library.api.runtime_version())
                        : fmt::format("{} has no {}: it is no cuBLASLt that atc can use",
                                      library.file, find.missing());
  return library;
}

}  // namespace

const CublasLtLibrary& cublaslt() {
  static const CublasLtLibrary* const known = new CublasLtLibrary(look());
  return *known;
}

}  // namespace atc::cuda
