#include "engines/kernels/first/prepared.hpp"

#include <utility>

#include "core/allocator.hpp"
#include "core/error.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/kernel.hpp"
#include "device/cuda/stream.hpp"
#include "engines/kernels/first/shape.hpp"

namespace atc::cuda {

extern const unsigned char kFirstKernels[];
extern const unsigned char kFirstGradientKernels[];
extern const unsigned char kFirstScatterKernels[];

}  // namespace atc::cuda

namespace atc::first {

namespace {

class FirstPrepared final : public Prepared {
 public:
  FirstPrepared(Problem problem, const Limits& limits, Plan plan)
      : problem_(std::move(problem)), device_(limits.device), plan_(std::move(plan)) {
    const cuda::ContextScope scope(device_.index);
    const auto* const image = gradient()             ? cuda::kFirstGradientKernels
                              : is_scatter(problem_) ? cuda::kFirstScatterKernels
                                                     : cuda::kFirstKernels;
    kernel_ = cuda::Kernel(image, plan_.kernel.c_str(), device_.index, plan_.shared_bytes);
    if (gradient()) sum_kernel_ = cuda::Kernel(image, plan_.sum_kernel.c_str(), device_.index);
  }

  std::uint64_t workspace_size() const override { return plan_.workspace; }

  void set_weights(const void* w) override {
    if (gradient()) return;
    const cuda::ContextScope scope(device_.index);
    weights_ = cuda::kept_copy(w, problem_.w.span_bytes(), device_);
  }

  void execute(const Operands& operands, void* workspace, Stream stream) override {
    const cuda::ContextScope scope(device_.index);
    if (gradient()) {
      kernel_.launch({{plan_.blocks}, {kThreads}, plan_.shared_bytes}, stream, plan_.geometry,
                     operands.x, operands.y, workspace);
      sum_kernel_.launch({{plan_.sum_blocks}, {kThreads}}, stream, plan_.geometry, workspace,
                         operands.w);
      return;
    }
    const void* const filters = operands.w != nullptr ? operands.w : weights_.data();
    if (filters == nullptr)
      fail(Status::invalid_argument,
           "w is null and no weights were set: pass w or call set_weights first");
    const cuda::LaunchShape shape{{plan_.blocks}, {kThreads}, plan_.shared_bytes};
    if (is_scatter(problem_))
      kernel_.launch(shape, stream, plan_.scatter, operands.y, filters, operands.bias, operands.x);
    else
      kernel_.launch(shape, stream, plan_.geometry.g, operands.x, filters, operands.bias,
                     operands.y);
  }

 private:
  bool gradient() const { return is_gradient(problem_); }

  Problem problem_;
  DeviceId device_;
  Plan plan_;
  cuda::Kernel kernel_, sum_kernel_;
  Allocation weights_;
};

}  // namespace

std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits, Plan plan) {
  return std::make_unique<FirstPrepared>(problem, limits, std::move(plan));
}

}  // namespace atc::first
