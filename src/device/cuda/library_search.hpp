// Where CUDA's libraries are looked for: the library path, what the process has loaded already, the
// wheels beside LibTorch, the system.
#pragma once

#include <string>

namespace atc::cuda {

struct FoundLibrary {
  void* handle = nullptr;
  std::string file;
  std::string trouble;  // what the loader said last, where nothing was found
};

// `wheel_folder` is relative to the folder that holds torch/. Settles the library path.
FoundLibrary find_library(const char* name, const char* wheel_folder);

}  // namespace atc::cuda
