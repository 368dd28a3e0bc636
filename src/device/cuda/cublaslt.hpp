// The cuBLASLt of the process: where it was found, and whether it can be used.
#pragma once

#include <cstddef>
#include <string>

namespace atc::cuda {

struct CublasLtApi {
  std::size_t (*version)() = nullptr;
  std::size_t (*runtime_version)() = nullptr;
};

struct CublasLtLibrary {
  bool loaded = false;
  std::string file;
  std::size_t version = 0;  // 130100 is 13.1.0
  std::string trouble;      // why it cannot be used, or ""
  CublasLtApi api;
};

// Opened at the first call, once; the library path is settled by it. Opens nothing where there is
// no CUDA device.
const CublasLtLibrary& cublaslt();

}  // namespace atc::cuda
