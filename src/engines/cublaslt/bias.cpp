#include "engines/cublaslt/bias.hpp"

#include "engines/cudnn/bias.hpp"

namespace atc::cublaslt {

bool can_be_fused(const Problem& problem, const Product& product) {
  return problem.epilogue == Epilogue::bias && product.channels_are_rows;
}

bool can_be_apart(const Problem& problem) {
  const Tensor& output = problem.output();
  return cudnn::can_be_apart(problem) && output.span() == output.elements();
}

}  // namespace atc::cublaslt
