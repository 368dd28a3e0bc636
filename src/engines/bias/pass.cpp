#include "engines/bias/pass.hpp"

#include <algorithm>
#include <cstdint>

#include "device/cuda/kernels.hpp"

namespace atc {

namespace cuda {

extern const unsigned char kBiasKernels[];

}  // namespace cuda

namespace {

constexpr unsigned kThreads = 256, kMostBlocks = 4096;
// The number of bytes that a thread copies with one instruction.
constexpr std::uint64_t kVector = 16;

}  // namespace

bool bias_can_be_apart(const Problem& problem) {
  const Tensor& output = problem.output();
  const bool rounds = output.dtype != Dtype::f32;
  // The kernel treats the output as an array without gaps: it writes as many consecutive elements
  // as the output has.
  const bool has_gaps = output.span() != output.elements();
  return problem.epilogue != Epilogue::none && !(problem.accumulate && rounds) && !has_gaps;
}

Problem without_bias(Problem problem) {
  problem.epilogue = Epilogue::none;
  return problem;
}

void add_bias(const Problem& problem, void* output, const void* bias, cuda::Context context,
              Stream stream) {
  const Tensor& tensor = problem.output();
  const std::uint64_t width = size_of(tensor.dtype);
  const bool vectors = reinterpret_cast<std::uintptr_t>(output) % kVector == 0;
  const auto elements = static_cast<unsigned long long>(tensor.elements());
  const unsigned long long pieces = vectors ? elements * width / kVector + 1 : elements;
  const auto blocks = static_cast<unsigned>(
      std::clamp<unsigned long long>((pieces + kThreads - 1) / kThreads, 1, kMostBlocks));
  cuda::launch(cuda::kernel(context, cuda::kBiasKernels, "atc_add_bias"), blocks, kThreads, stream,
               output, bias, elements, static_cast<long long>(tensor.strides[1]),
               static_cast<long long>(tensor.shape[1]), static_cast<int>(tensor.dtype),
               static_cast<int>(problem.epilogue == Epilogue::bias_relu),
               static_cast<int>(vectors));
}

}  // namespace atc
