#include "engines/kernels/first/prepared.hpp"

#include <utility>

#include "device/cuda/driver.hpp"
#include "device/cuda/kernel.hpp"
#include "engines/kernels/first/shape.hpp"
#include "engines/kernels/prepared.hpp"

namespace atc::cuda {

extern const unsigned char kFirstKernels[];
extern const unsigned char kFirstGradientKernels[];
extern const unsigned char kFirstScatterKernels[];
extern const unsigned char kFirstStripKernels[];

}  // namespace atc::cuda

namespace atc::first {

namespace {

class FirstPrepared final : public kernels::ConvolutionPrepared {
 public:
  FirstPrepared(const Problem& problem, const Limits& limits, Plan plan)
      : ConvolutionPrepared(problem, limits, plan.workspace, 0),
        scatter_(is_scatter(problem)),
        plan_(std::move(plan)) {
    const cuda::ContextScope scope(limits.device.index);
    const auto* const image = strips()   ? cuda::kFirstStripKernels
                              : scatter_ ? cuda::kFirstScatterKernels
                                         : cuda::kFirstKernels;
    kernel_ = cuda::Kernel(image, plan_.kernel.c_str(), limits.device.index, plan_.shared_bytes);
  }

 private:
  void launch(const Addresses& at, void*, Stream stream) const override {
    const cuda::LaunchShape shape{{plan_.blocks}, {kThreads}, plan_.shared_bytes};
    if (strips())
      kernel_.launch(shape, stream, plan_.strips, at.in, at.filters, at.bias, at.out);
    else if (scatter_)
      kernel_.launch(shape, stream, plan_.scatter, at.in, at.filters, at.bias, at.out);
    else
      kernel_.launch(shape, stream, plan_.geometry.g, at.in, at.filters, at.bias, at.out);
  }

  bool strips() const { return plan_.strips.count != 0; }

  bool scatter_;
  Plan plan_;
  cuda::Kernel kernel_;
};

class FirstGradientPrepared final : public kernels::GradientPrepared {
 public:
  FirstGradientPrepared(const Limits& limits, Plan plan)
      : GradientPrepared(limits, plan.workspace), plan_(std::move(plan)) {
    const cuda::ContextScope scope(limits.device.index);
    kernel_ = cuda::Kernel(cuda::kFirstGradientKernels, plan_.kernel.c_str(), limits.device.index,
                           plan_.shared_bytes);
    sum_kernel_ =
        cuda::Kernel(cuda::kFirstGradientKernels, plan_.sum_kernel.c_str(), limits.device.index);
  }

 private:
  void launch(const Operands& operands, void* workspace, Stream stream) const override {
    kernel_.launch({{plan_.blocks}, {kThreads}, plan_.shared_bytes}, stream, plan_.geometry,
                   operands.x, operands.y, workspace);
    sum_kernel_.launch({{plan_.sum_blocks}, {kThreads}}, stream, plan_.geometry, workspace,
                       operands.w);
  }

  Plan plan_;
  cuda::Kernel kernel_, sum_kernel_;
};

}  // namespace

std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits, Plan plan) {
  if (is_gradient(problem)) return std::make_unique<FirstGradientPrepared>(limits, std::move(plan));
  return std::make_unique<FirstPrepared>(problem, limits, std::move(plan));
}

}  // namespace atc::first
