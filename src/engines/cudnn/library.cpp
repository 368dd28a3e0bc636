#include "engines/cudnn/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "core/error.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/driver_probe.hpp"
#include "device/cuda/library_search.hpp"
#include "engines/cudnn/parts.hpp"

namespace atc::cudnn {

namespace {

constexpr const char* kName = "libcudnn.so.9";
// Of the wheels beside LibTorch, below site-packages.
constexpr const char* kWheelFolder = "nvidia/cudnn/lib";

template <typename Function>
bool find(void* handle, const char* name, Function*& function, std::string& missing) {
  function = reinterpret_cast<Function*>(dlsym(handle, name));
  if (function == nullptr && missing.empty()) missing = name;
  return function != nullptr;
}

std::string load(void* handle, Api& api) {
  std::string missing;
  find(handle, "cudnnCreate", api.create, missing);
  find(handle, "cudnnSetStream", api.set_stream, missing);
  find(handle, "cudnnGetVersion", api.version, missing);
  find(handle, "cudnnGetLastErrorString", api.last_error, missing);
  find(handle, "cudnnGetErrorString", api.error_name, missing);
  find(handle, "cudnnBackendCreateDescriptor", api.create_descriptor, missing);
  find(handle, "cudnnBackendDestroyDescriptor", api.destroy_descriptor, missing);
  find(handle, "cudnnBackendFinalize", api.finalize, missing);
  find(handle, "cudnnBackendSetAttribute", api.set_attribute, missing);
  find(handle, "cudnnBackendGetAttribute", api.get_attribute, missing);
  find(handle, "cudnnBackendExecute", api.execute, missing);
  // Convolutions run without these.
  std::string ignored;
  find(handle, "cudnnGetCudartVersion", api.runtime_version, ignored);
  find(handle, "cudnnGetMaxDeviceVersion", api.newest_device, ignored);
  find(handle, "cudnnGraphVersionCheck", api.graph_check, ignored);
  find(handle, "cudnnOpsVersionCheck", api.ops_check, ignored);
  find(handle, "cudnnCnnVersionCheck", api.cnn_check, ignored);
  find(handle, "cudnnAdvVersionCheck", api.adv_check, ignored);
  return missing;
}

Library look() {
  Library library;
  if (cuda::driver().devices.empty()) {
    library.trouble = "not looked for, because no CUDA device can be used";
    return library;
  }
  // Its parts must find the symbols of the dispatcher that is there.
  const cuda::FoundLibrary found = cuda::find_library({{kName}, {kWheelFolder}, true});
  if (found.handle == nullptr) {
    library.trouble = fmt::format(
        "{} was not found ({}): install cuDNN 9, or name its folder with atc_set_library_path or "
        "ATC_LIBRARY_PATH",
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
    library.trouble = fmt::format(
        "{} is cuDNN {}: install {} or newer, or name its folder with atc_set_library_path or "
        "ATC_LIBRARY_PATH",
        library.file, version_text(library.version), version_text(kOldestVersion));
  else if (!missing.empty())
    library.trouble =
        fmt::format("{} has no {}: it is no cuDNN 9 that atc can use", library.file, missing);
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
  // 8.9.7 is 8907, 9.1.0 is 90100.
  const std::size_t major = version < 90000 ? version / 1000 : version / 10000;
  return fmt::format("{}.{}.{}", major, version / 100 % (version < 90000 ? 10 : 100),
                     version % 100);
}

void check(Status status, const char* what) {
  if (status == kSuccess) return;
  const Api& api = library().api;
  char text[1024] = "";
  api.last_error(text, sizeof(text));
  std::string sentence = fmt::format("{}: {} ({})", what, api.error_name(status), text);
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
