// The cuBLASLt of the process: where it was found, and whether it can be used.
#pragma once

#include <cstddef>
#include <string>

#include "device/cuda/cublaslt_api.hpp"

namespace atc::cuda {

struct CublasLtLibrary {
  bool loaded = false;
  std::string file;
  std::size_t version = 0;  // 130100 is 13.1.0
  std::string trouble;      // why cuBLASLt cannot be used, or ""
  std::string lacking;      // the first function for matrix products that cuBLASLt lacks, or ""
  lt::Api api;
};

// Opens the library at the first call. From then on the library path cannot be changed. Opens
// nothing if there is no CUDA device.
const CublasLtLibrary& cublaslt();

namespace lt {

// Throws Error for every status except success. The text has cuBLASLt's own name of the status. The
// Error's status is out_of_memory, library (cuBLASLt cannot be used), device (an execution failed)
// or unsupported (everything else).
void check(Status status, const char* what);

}  // namespace lt

}  // namespace atc::cuda
