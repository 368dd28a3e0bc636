#include "engines/cudnn/library.hpp"

#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/format.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/driver_probe.hpp"
#include "device/cuda/library_search.hpp"
#include "device/cuda/symbols.hpp"
#include "engines/cudnn/parts.hpp"

namespace atc::cudnn {

namespace {

constexpr const char* kName = "libcudnn.so.9";
// The folder of cuDNN's library if cuDNN was installed as a Python wheel. It is relative to the
// folder site-packages in which LibTorch is installed.
constexpr const char* kWheelFolder = "nvidia/cudnn/lib";

// Reads the addresses of cuDNN's functions into `api`. Returns the name of the first function that
// the library lacks, or "".
std::string load(void* handle, Api& api) {
  cuda::Symbols find(handle);
  find("cudnnCreate", api.create);
  find("cudnnSetStream", api.set_stream);
  find("cudnnGetVersion", api.version);
  find("cudnnGetLastErrorString", api.last_error);
  find("cudnnGetErrorString", api.error_name);
  find("cudnnBackendCreateDescriptor", api.create_descriptor);
  find("cudnnBackendDestroyDescriptor", api.destroy_descriptor);
  find("cudnnBackendFinalize", api.finalize);
  find("cudnnBackendSetAttribute", api.set_attribute);
  find("cudnnBackendGetAttribute", api.get_attribute);
  find("cudnnBackendExecute", api.execute);
  // The next functions are optional, because convolutions do not need them.
  cuda::Symbols optional(handle);
  optional("cudnnGetCudartVersion", api.runtime_version);
  optional("cudnnGetMaxDeviceVersion", api.newest_device);
  optional("cudnnGraphVersionCheck", api.graph_check);
  optional("cudnnOpsVersionCheck", api.ops_check);
  optional("cudnnCnnVersionCheck", api.cnn_check);
  optional("cudnnAdvVersionCheck", api.adv_check);
  optional("cudnnSubquadraticOpsVersionCheck", api.ext_check);
  return find.missing();
}

Library look() {
  Library library;
  if (cuda::driver().devices.empty()) {
    library.trouble = "not looked for, because no CUDA device can be used";
    return library;
  }
  // The argument `true` opens the library with RTLD_GLOBAL: the other libraries of cuDNN need its
  // symbols.
  const cuda::FoundLibrary found = cuda::find_library({{kName}, {kWheelFolder}, true});
  if (found.handle == nullptr) {
    library.trouble = format(
        "{} was not found: install cuDNN 9, or name its folder with set_library_path or "
        "ATC_LIBRARY_PATH ({})",
        kName, found.trouble);
    return library;
  }
  library.loaded = true;
  library.file = found.file;
  const std::string missing = load(found.handle, library.api);
  library.trouble = open_first_part(library.file);
  if (!library.trouble.empty()) return library;
  if (library.api.version != nullptr) library.version = library.api.version();
  if (library.version != 0 && library.version < kOldestVersion)
    library.trouble = format(
        "cuDNN {} is too old: install {} or newer, or name its folder with set_library_path or "
        "ATC_LIBRARY_PATH ({} was found)",
        version_text(library.version), version_text(kOldestVersion), library.file);
  else if (!missing.empty())
    library.trouble =
        format("{} has no {}: it is no cuDNN 9 that atc can use", library.file, missing);
  else if (library.api.runtime_version != nullptr)
    library.trouble = cuda::too_old_for(library.file, library.api.runtime_version());
  return library;
}

}  // namespace

const Library& library() {
  static const Library* const known = new Library(look());
  return *known;
}

const Api& require() {
  cuda::require_driver();
  const Library& known = library();
  if (!known.trouble.empty()) fail(atc::Status::library, "{}", known.trouble);
  static const auto* const unfit =
      new std::vector<std::string>(misfits(known.api, known.file, false));
  if (!unfit->empty()) fail(atc::Status::library, "{}", unfit->front());
  return known.api;
}

std::string version_text(std::size_t version) {
  // cuDNN's version number has four digits up to version 8 (8.9.7 is 8907), and five digits since
  // version 9 (9.1.0 is 90100).
  const std::size_t major = version < 90000 ? version / 1000 : version / 10000;
  return format("{}.{}.{}", major, version / 100 % (version < 90000 ? 10 : 100), version % 100);
}

void check(Status status, const char* what) {
  if (status == kSuccess) return;
  const Api& api = library().api;
  char text[1024] = "";
  api.last_error(text, sizeof(text));
  std::string sentence = format("{}: {} ({})", what, api.error_name(status), text);
  if (status >= kExecutionFailed)
    fail(atc::Status::device,
         "{}; work given to the device earlier may have failed and be reported only now", sentence);
  switch (status) {
    case kHostAllocationFailed:
    case kDeviceAllocationFailed:
      fail(atc::Status::out_of_memory, "{}", sentence);
    case kVersionMismatch:
    case kLoadingFailed:
    case kNotInitialized:
      if (std::string mixed = mixture(); !mixed.empty())
        fail(atc::Status::library, "{}: {}", sentence, mixed);
      fail(atc::Status::library, "{}: {} cannot be used", sentence, library().file);
    default:
      fail(atc::Status::unsupported, "{}", sentence);
  }
}

}  // namespace atc::cudnn
