// A build without device kernels leaves the bias to cuDNN.
#include "core/error.hpp"
#include "engines/cudnn/bias.hpp"

namespace atc::cudnn {

bool can_be_apart(const Problem&) { return false; }

Problem without_bias(Problem problem) {
  problem.epilogue = Epilogue::none;
  return problem;
}

void add_bias(const Problem&, void*, const void*, cuda::Context, Stream) {
  fail(atc::Status::unsupported,
       "this build has no device kernels, one of which would add the bias: build atc with a CUDA "
       "compiler");
}

}  // namespace atc::cudnn
