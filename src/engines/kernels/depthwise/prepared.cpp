#include "engines/kernels/depthwise/prepared.hpp"

#include <utility>

#include "device/cuda/driver.hpp"
#include "device/cuda/kernel.hpp"
#include "engines/kernels/prepared.hpp"

namespace atc::cuda {

extern const unsigned char kDepthwiseAheadKernels[];
extern const unsigned char kDepthwiseDirectKernels[];
extern const unsigned char kDepthwiseFirstKernels[];
extern const unsigned char kDepthwiseLastKernels[];
extern const unsigned char kDepthwiseRowKernels[];

}  // namespace atc::cuda

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

class DepthwisePrepared final : public kernels::ConvolutionPrepared {
 public:
  DepthwisePrepared(const Problem& problem, const Limits& limits, Plan plan)
      : ConvolutionPrepared(problem, limits, 0, 0), plan_(std::move(plan)) {
    const cuda::ContextScope scope(limits.device.index);
    kernel_ = cuda::Kernel(image_of(plan_.family), plan_.kernel.c_str(), limits.device.index,
                           plan_.launch.shared_bytes);
  }

 private:
  void launch(const Addresses& at, void*, Stream stream) const override {
    const Pointers pointers{at.in, at.filters, at.bias, at.out};
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

  Plan plan_;
  cuda::Kernel kernel_;
};

}  // namespace

std::unique_ptr<Prepared> prepare_plan(const Problem& problem, const Limits& limits, Plan plan) {
  return std::make_unique<DepthwisePrepared>(problem, limits, std::move(plan));
}

}  // namespace atc::depthwise
