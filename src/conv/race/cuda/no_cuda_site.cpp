// Used in builds without device kernels. Such builds can run convolutions on CUDA, but they cannot
// measure or check candidates there.
#include "conv/race/site.hpp"
#include "core/error.hpp"

namespace atc::conv {

std::unique_ptr<Site> make_cuda_site(int device_index, Stream, Priority) {
  fail(Status::library,
       "cuda:{}: this build has no device kernels, which measuring takes: build atc with a CUDA "
       "compiler (scripts/setup brings one)",
       device_index);
}

}  // namespace atc::conv
