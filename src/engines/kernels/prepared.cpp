#include "engines/kernels/prepared.hpp"

#include <utility>

#include "device/cuda/driver.hpp"
#include "device/cuda/stream.hpp"
#include "engines/weights.hpp"

namespace atc::kernels {

ConvolutionPrepared::ConvolutionPrepared(const Problem& problem, const Limits& limits,
                                         std::uint64_t workspace, std::uint64_t packed_bytes)
    : device_(limits.device),
      forward_(problem.direction == Direction::forward),
      has_bias_(problem.epilogue != Epilogue::none),
      weight_bytes_(problem.w.span_bytes()),
      packed_bytes_(packed_bytes),
      workspace_(workspace) {}

void ConvolutionPrepared::set_weights(const void* w) {
  const cuda::ContextScope scope(device_.index);
  if (packed_bytes_ == 0) {
    kept_ = cuda::kept_copy(w, weight_bytes_, device_);
    return;
  }
  cuda::KeptMemory packed(packed_bytes_, device_);
  pack(w, packed.data(), nullptr);
  cuda::synchronize(nullptr);
  kept_ = std::move(packed);
}

void ConvolutionPrepared::execute(const Operands& operands, void* workspace, Stream stream) {
  const void* filters = operands.w != nullptr ? operands.w : kept_.data();
  require_weights(filters);
  const cuda::ContextScope scope(device_.index);
  if (operands.w != nullptr && packed_bytes_ != 0) {
    pack(operands.w, workspace, stream);
    filters = workspace;
  }
  launch({forward_ ? operands.x : operands.y, filters, has_bias_ ? operands.bias : nullptr,
          forward_ ? operands.y : operands.x},
         workspace, stream);
  if (operands.w == nullptr) kept_.read_on(stream);
}

GradientPrepared::GradientPrepared(const Limits& limits, std::uint64_t workspace)
    : device_(limits.device), workspace_(workspace) {}

void GradientPrepared::execute(const Operands& operands, void* workspace, Stream stream) {
  const cuda::ContextScope scope(device_.index);
  launch(operands, workspace, stream);
}

}  // namespace atc::kernels
