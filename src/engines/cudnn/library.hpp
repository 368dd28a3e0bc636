// The cuDNN of the process: where it was found, and whether it can be used.
#pragma once

#include <string>

#include "engines/cudnn/backend.hpp"

namespace atc::cudnn {

struct Library {
  bool loaded = false;
  std::string file;
  std::size_t version = 0;  // 91900 is 9.19.0
  std::string trouble;      // why it cannot be used, or ""
  Api api;
};

// Opened once, at the first call. Later changes of the library path have no effect. Opens nothing
// if there is no CUDA device.
const Library& library();

// Throws Error(library) where cuDNN is missing, too old, or mixed from several versions.
const Api& require();

std::string version_text(std::size_t version);  // "9.19.0"

// Throws Error with cuDNN's own message for every status but success. The Error's status is
// out_of_memory, library (cuDNN cannot be loaded, or its parts are of several versions), device (an
// execution failed) or unsupported (all others).
void check(Status status, const char* what);

// The cuDNN whose headers backend.hpp was compared with when this was built; 0: there were none.
constexpr std::size_t kCompiledVersion = ATC_CUDNN_VERSION;

}  // namespace atc::cudnn
