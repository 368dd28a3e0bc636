// Finds and opens the cuDNN library of this process, and says whether it can be used.
#pragma once

#include <string>

#include "engines/cudnn/backend.hpp"

namespace atc::cudnn {

struct Library {
  bool loaded = false;
  std::string file;
  std::size_t version = 0;  // the version as cuDNN writes it: 91900 for 9.19.0
  std::string trouble;      // why cuDNN cannot be used, or ""
  Api api;
};

// Returns the cuDNN library of the process. The first call opens it, unless there is no CUDA
// device. A later change of the setting "library path" has no effect.
const Library& library();

// Returns cuDNN's functions. Throws Error(library) if cuDNN is missing or too old, or if its
// libraries have different versions.
const Api& require();

std::string version_text(std::size_t version);  // returns "9.19.0" for 91900

// Throws Error with cuDNN's own message for each status except success. The Error's status is one
// of four. out_of_memory: cuDNN could not allocate memory. library: cuDNN cannot be loaded, or its
// libraries have different versions. device: an execution failed. unsupported: any other failure.
void check(Status status, const char* what);

// The version of the cuDNN headers that the build has compared with backend.hpp. 0 if the build
// found no headers.
constexpr std::size_t kCompiledVersion = ATC_CUDNN_VERSION;

}  // namespace atc::cudnn
