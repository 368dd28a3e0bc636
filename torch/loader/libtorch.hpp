// Finds the LibTorch of this process and asks for its version, without linking LibTorch.
#pragma once

#include <string>

namespace atc_torch {

struct LibTorch {
  std::string file;     // libtorch_cpu.so
  std::string version;  // "2.11.0"; "" if it does not tell

  std::string minor() const;  // "2.11"; "" without a version
};

// Returns the LibTorch that is loaded. If none is loaded, loads the one that the dynamic linker
// finds. Throws Failure(ATC_ERROR_LIBRARY) if there is none.
LibTorch find_libtorch();

}  // namespace atc_torch
