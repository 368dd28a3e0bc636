#include "engines/kernels/grouped/prepared.hpp"

#include <utility>

#include "device/cuda/driver.hpp"
#include "device/cuda/kernel.hpp"
#include "engines/kernels/implicit/shape.hpp"
#include "engines/kernels/prepared.hpp"

namespace atc::cuda {

extern const unsigned char kGroupedKernels[];
extern const unsigned char kGroupedGradientKernels[];
extern const unsigned char kImplicitFilterKernels[];

}  // namespace atc::cuda

namespace atc::grouped {

namespace {

using implicit::kThreads;

class GroupedPrepared final : public kernels::ConvolutionPrepared {
 public:
  GroupedPrepared(const Problem& problem, const Limits& limits, Plan plan)
      : ConvolutionPrepared(problem, limits, plan.workspace, 0), plan_(std::move(plan)) {
    const cuda::ContextScope scope(limits.device.index);
    kernel_ = cuda::Kernel(cuda::kGroupedKernels, plan_.kernel.c_str(), limits.device.index,
                           plan_.shared_bytes);
  }

 private:
  void launch(const Addresses& at, void*, Stream stream) const override {
    kernel_.launch({{plan_.blocks}, {kThreads}, plan_.shared_bytes}, stream, plan_.geometry, at.in,
                   at.filters, at.bias, at.out);
  }

  Plan plan_;
  cuda::Kernel kernel_;
};

class GroupedGradientPrepared final : public kernels::GradientPrepared {
 public:
  GroupedGradientPrepared(const Limits& limits, Plan plan)
      : GradientPrepared(limits, plan.workspace), plan_(std::move(plan)) {
    const cuda::ContextScope scope(limits.device.index);
    kernel_ = cuda::Kernel(cuda::kGroupedGradientKernels, plan_.kernel.c_str(), limits.device.index,
                           plan_.shared_bytes);
    sum_kernel_ =
        cuda::Kernel(cuda::kImplicitFilterKernels, plan_.sum_kernel.c_str(), limits.device.index);
  }

 private:
  void launch(const Operands& operands, void* workspace, Stream stream) const override {
    kernel_.launch({{plan_.blocks}, {kThreads}, plan_.shared_bytes}, stream, plan_.gradient,
                   operands.x, operands.y, workspace);
    sum_kernel_.launch({{plan_.sum_blocks}, {kThreads}}, stream, plan_.gradient.sum, plan_.filters,
                       workspace, operands.w);
  }

  Plan plan_;
  cuda::Kernel kernel_, sum_kernel_;
};

}  // namespace

std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits, Plan plan) {
  if (implicit::is_gradient(problem))
    return std::make_unique<GroupedGradientPrepared>(limits, std::move(plan));
  return std::make_unique<GroupedPrepared>(problem, limits, std::move(plan));
}

}  // namespace atc::grouped
