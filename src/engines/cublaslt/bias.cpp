#include "engines/cublaslt/bias.hpp"

namespace atc::cublaslt {

bool can_be_fused(const Problem& problem, const Product& product) {
  // If cuBLASLt accumulates into an output of 16 bits, it rounds the sum before it adds the bias.
  const bool rounds_twice = problem.accumulate && problem.output().dtype != Dtype::f32;
  return problem.epilogue == Epilogue::bias && product.channels_are_rows && !rounds_twice;
}

}  // namespace atc::cublaslt
