// The cuDNN of the process: where it was found, and whether it can be used.
#pragma once

#include <string>

#include "engines/cudnn/backend.hpp"

namespace atc::cudnn {

struct Library {
  bool loaded = false;
  std::string file;
  std::size_t version = 0;  // 91900 is 9.19.0
  std::string trouble;      // why cuDNN cannot be used, or ""
  Api api;
};

// Opens cuDNN at the first call. Later changes of the library path have no effect. Opens nothing if
// there is no CUDA device.
const Library& library();

// Throws Error(library) if cuDNN is missing or too old, or if its parts are of several versions.
const Api& require();

std::string version_text(std::size_t version);  // "9.19.0"

// Throws Error with cuDNN's own message for every status except success. The Error's status is
// out_of_memory, library (cuDNN cannot be loaded, or its parts are of several versions), device (an
// execution failed) or unsupported (everything else).
void check(Status status, const char* what);

// The version of the cuDNN headers that backend.hpp was compared with when this was built; 0 if
// there were none.
constexpr std::size_t kCompiledVersion = ATC_CUDNN_VERSION;

}  // namespace atc::cudnn
