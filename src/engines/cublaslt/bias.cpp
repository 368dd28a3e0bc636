#include "engines/cublaslt/bias.hpp"

#include "engines/bias/pass.hpp"

namespace atc::cublaslt {

bool can_be_fused(const Problem& problem, const Product& product) {
  // Where cuBLASLt adds to an old 16-bit output, it rounds the sum before it adds the bias.
  const bool rounds_twice = problem.accumulate && problem.output().dtype != Dtype::f32;
  return problem.epilogue == Epilogue::bias && product.channels_are_rows && !rounds_twice;
}

bool can_be_apart(const Problem& problem) {
  const Tensor& output = problem.output();
  return bias_can_be_apart(problem) && output.span() == output.elements();
}

}  // namespace atc::cublaslt
