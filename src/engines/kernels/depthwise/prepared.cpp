#include "engines/kernels/depthwise/prepared.hpp"

#include <utility>

#include "core/allocator.hpp"
#include "core/error.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/kernel.hpp"
#include "device/cuda/kernels.hpp"
#include "device/cuda/stream.hpp"

namespace atc::depthwise {

namespace {

const unsigned char* image_of(Family family) {
  switch (family) {
    case Family::direct:
      return cuda::kDepthwiseDirectKernels;
    case Family::last:
    case Family::last_by_rows:
      return cuda::kDepthwiseLastKernels;
    case Family::last_ahead:
      return cuda::kDepthwiseAheadKernels;
    case Family::first_ahead:
      return cuda::kDepthwiseRowKernels;
    case Family::first:
    case Family::first_by_rows:
      break;
  }
  return cuda::kDepthwiseFirstKernels;
}

class DepthwisePrepared final : public Prepared {
 public:
  DepthwisePrepared(const Problem& problem, const Limits& limits, Plan plan)
      : plan_(std::move(plan)),
        device_(limits.device),
        filter_bytes_(problem.w.span_bytes()),
        backward_(problem.direction == Direction::backward_data),
        has_bias_(problem.epilogue != Epilogue::none) {
    const cuda::ContextScope scope(device_.index);
    kernel_ = cuda::Kernel(image_of(plan_.family), plan_.kernel.c_str(), device_.index,
                           plan_.launch.shared_bytes);
  }

  std::uint64_t workspace_size() const override { return 0; }

  void set_weights(const void* w) override {
    const cuda::ContextScope scope(device_.index);
    weights_ = cuda::kept_copy(w, filter_bytes_, device_);
  }

  void execute(const Operands& operands, void*, Stream stream) override {
    Pointers pointers{};
    pointers.in = backward_ ? operands.y : operands.x;
    pointers.filter = operands.w != nullptr ? operands.w : weights_.data();
    pointers.bias = has_bias_ ? operands.bias : nullptr;
    pointers.out = backward_ ? operands.x : operands.y;
    if (pointers.filter == nullptr)
      fail(Status::invalid_argument,
           "w is null and no weights were set: pass w or call set_weights first");
    const cuda::ContextScope scope(device_.index);
    switch (plan_.family) {
      case Family::direct:
        return kernel_.launch(plan_.launch, stream, pointers, plan_.direct);
      case Family::last:
      case Family::last_ahead:
        return kernel_.launch(plan_.launch, stream, pointers, plan_.planes, plan_.last);
      case Family::last_by_rows:
        return kernel_.launch(plan_.launch, stream, pointers, plan_.planes, plan_.last,
                              plan_.filter_rows);
      case Family::first_ahead:
        return kernel_.launch(plan_.launch, stream, pointers, plan_.planes, plan_.rows);
      case Family::first:
        return kernel_.launch(plan_.launch, stream, pointers, plan_.planes, plan_.first);
      case Family::first_by_rows:
        return kernel_.launch(plan_.launch, stream, pointers, plan_.planes, plan_.first,
                              plan_.filter_rows);
    }
  }

 private:
  Plan plan_;
  DeviceId device_;
  std::uint64_t filter_bytes_;
  bool backward_, has_bias_;
  cuda::Kernel kernel_;
  Allocation weights_;
};

}  // namespace

std::unique_ptr<Prepared> prepare_plan(const Problem& problem, const Limits& limits, Plan plan) {
  return std::make_unique<DepthwisePrepared>(problem, limits, std::move(plan));
}

}  // namespace atc::depthwise
