#include "engines/cublaslt/bias.hpp"

namespace atc::cublaslt {

bool can_be_fused(const Problem& problem, const Product& product) {
  // If the output has 16 bits and the result is added to its old value, cuBLASLt rounds this sum to
  // 16 bits before it adds the bias. So the result would be rounded twice.
  const bool rounds_twice = problem.accumulate && problem.output().dtype != Dtype::f32;
  return problem.epilogue == Epilogue::bias && product.channels_are_rows && !rounds_twice;
}

}  // namespace atc::cublaslt
