// Replaces pass.cpp in a build without device kernels. In such a build a bias must be added by the
// library that computes the convolution.
#include "core/error.hpp"
#include "engines/bias/pass.hpp"

namespace atc {

bool bias_can_be_apart(const Problem&) { return false; }

Problem without_bias(Problem problem) {
  problem.epilogue = Epilogue::none;
  return problem;
}

void add_bias(const Problem&, void*, const void*, cuda::Context, Stream) {
  fail(Status::unsupported,
       "this build has no device kernels, one of which would add the bias: build atc with a CUDA "
       "compiler");
}

}  // namespace atc
