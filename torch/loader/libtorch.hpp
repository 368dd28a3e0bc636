// The LibTorch of this process, found and asked for its version without linking it.
#pragma once

#include <string>

namespace atc_torch {

struct LibTorch {
  std::string file;     // libtorch_cpu.so
  std::string version;  // "2.11.0"; "" if it does not tell

  std::string minor() const;  // "2.11"; "" without a version
};

// The LibTorch that is loaded; otherwise the one that the dynamic linker finds, which this call
// loads. Throws Failure(ATC_ERROR_LIBRARY) if there is none.
LibTorch find_libtorch();

}  // namespace atc_torch
