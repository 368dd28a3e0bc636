// The cuBLASLt library of this process: where it was found, and whether it can be used.
#pragma once

#include <cstddef>
#include <string>

#include "device/cuda/cublaslt_api.hpp"

namespace atc::cuda {

struct CublasLtLibrary {
  bool loaded = false;
  std::string file;
  std::size_t version = 0;  // the version as cuBLASLt numbers it: 130100 is 13.1.0
  std::string trouble;      // the reason why cuBLASLt cannot be used, or ""
  // The name of the first function for matrix products that cuBLASLt does not have, or "".
  std::string lacking;
  lt::Api api;
};

// Returns the library, and opens it at the first call. After the first call the library path cannot
// be changed. If there is no CUDA device, no library is opened.
const CublasLtLibrary& cublaslt();

namespace lt {

// Throws Error for every status except success. `what` is the name of the function that returned
// the status. The text of the Error contains cuBLASLt's name of the status. The Error's status is
// out_of_memory, library (cuBLASLt cannot be used), device (an execution failed) or unsupported
// (everything else).
void check(Status status, const char* what);

}  // namespace lt

}  // namespace atc::cuda
