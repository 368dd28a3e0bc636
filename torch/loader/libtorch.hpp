// Finds the LibTorch of this process and its version. The loader is not linked to LibTorch.
#pragma once

#include <string>

namespace atc_torch {

struct LibTorch {
  std::string file;  // the path of libtorch_cpu.so
  // the version of LibTorch, for example "2.11.0"; "" if LibTorch has no function that returns it
  std::string version;

  // the major and minor version, for example "2.11"; "" if `version` is ""
  std::string minor() const;
};

// Returns the LibTorch that the process has loaded. If the process has loaded none, loads the
// LibTorch that the dynamic linker finds. Throws Failure(ATC_ERROR_LIBRARY) if the dynamic linker
// finds none.
LibTorch find_libtorch();

}  // namespace atc_torch
