#include "conv/race/work.hpp"

namespace atc::conv {

namespace {

std::uint64_t bytes_of(const Tensor& tensor) {
  return static_cast<std::uint64_t>(tensor.elements()) * size_of(tensor.dtype);
}

}  // namespace

Work work_of(const Problem& problem) {
  Work work;
  work.bytes = bytes_of(problem.x) + bytes_of(problem.w) + bytes_of(problem.y);
  if (problem.epilogue != Epilogue::none) work.bytes += bytes_of(problem.bias());
  if (problem.post_ops.scale) work.bytes += bytes_of(problem.scale());
  if (problem.post_ops.residual) work.bytes += bytes_of(problem.residual());
  if (problem.accumulate) work.bytes += bytes_of(problem.output());
  work.flops = problem.flops();
  return work;
}

}  // namespace atc::conv
