// Finds the LibTorch of this process and its version. The loader is not linked to LibTorch.
#pragma once

#include <string>

namespace atc_torch {

struct LibTorch {
  std::string file;     // the path of libtorch_cpu.so
  std::string version;  // for example "2.11.0"; "" if LibTorch has no function that returns it

  std::string minor() const;  // for example "2.11"; "" if `version` is ""
};

// Returns the LibTorch that the process has loaded. If the process has loaded none, loads the
// LibTorch that the dynamic linker finds. Throws Failure(ATC_ERROR_LIBRARY) if the dynamic linker
// finds none.
LibTorch find_libtorch();

}  // namespace atc_torch
