#include "engines/epilogue/device_pass.hpp"

#include <algorithm>
#include <cstdint>

#include "device/cuda/driver.hpp"
#include "device/cuda/kernels.hpp"

namespace atc {

namespace cuda {

extern const unsigned char kEpilogueKernels[];

}  // namespace cuda

namespace {

constexpr unsigned kThreads = 256, kMostBlocks = 4096;
// The number of bytes that a thread copies with one instruction.
constexpr std::uint64_t kVector = 16;

bool is_aligned(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) % kVector == 0;
}

}  // namespace

std::string device_pass_objection(const Problem& problem) {
  // The kernel treats the output as an array without gaps: it writes as many consecutive elements
  // as the output has.
  const Tensor& output = problem.output();
  return output.span() == output.elements()
             ? ""
             : "atc's kernel for bias, scale, residual and activation needs an output without gaps";
}

bool bias_can_be_apart(const Problem& problem) {
  const bool rounds = problem.output().dtype != Dtype::f32;
  return problem.epilogue != Epilogue::none && !problem.post_ops.any() &&
         !(problem.accumulate && rounds) && device_pass_objection(problem).empty();
}

void apply_post_ops_on_device(const Problem& problem, const Operands& operands, bool with_bias,
                              cuda::Context context, Stream stream) {
  const Tensor& tensor = problem.output();
  if (tensor.elements() == 0) return;
  void* const output = output_of(problem, operands);
  const void* const scale = problem.post_ops.scale ? operands.scale : nullptr;
  const void* const bias = with_bias ? operands.bias : nullptr;
  const void* const residual = problem.post_ops.residual ? operands.residual : nullptr;
  const bool vectors = is_aligned(output) && is_aligned(residual);
  const auto elements = static_cast<unsigned long long>(tensor.elements());
  const unsigned long long pieces =
      vectors ? elements * size_of(tensor.dtype) / kVector + 1 : elements;
  const auto blocks = static_cast<unsigned>(
      std::clamp<unsigned long long>((pieces + kThreads - 1) / kThreads, 1, kMostBlocks));
  cuda::launch(cuda::kernel(context, cuda::kEpilogueKernels, "atc_apply_post_ops"), blocks,
               kThreads, stream, output, scale, bias, residual, elements,
               static_cast<long long>(tensor.strides[1]), static_cast<long long>(tensor.shape[1]),
               static_cast<int>(tensor.dtype), problem.activation(), static_cast<int>(vectors));
}

void apply_post_ops_on_device(const Problem& problem, const Operands& operands, bool with_bias,
                              int device, Stream stream) {
  const cuda::ContextScope scope(device);
  apply_post_ops_on_device(problem, operands, with_bias, scope.context(), stream);
}

}  // namespace atc
