// Replaces the CUDA part of the reference engine in a build without device kernels. In such a build
// the reference engine cannot run on CUDA.
#include "core/error.hpp"
#include "engines/reference/cuda/prepared.hpp"

namespace atc::reference {

std::unique_ptr<Prepared> prepare_on_device(const Problem&, const Limits&) {
  fail(Status::library, "{}", device_objection());
}

const char* device_objection() {
  return "this build has no device kernels: build atc with a CUDA compiler";
}

}  // namespace atc::reference
