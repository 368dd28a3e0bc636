#include "engines/kernels/grouped/prepared.hpp"

#include <utility>

#include "core/allocator.hpp"
#include "core/error.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/kernel.hpp"
#include "device/cuda/stream.hpp"
#include "engines/kernels/implicit/shape.hpp"

namespace atc::cuda {

extern const unsigned char kGroupedKernels[];
extern const unsigned char kGroupedGradientKernels[];
extern const unsigned char kImplicitFilterKernels[];

}  // namespace atc::cuda

namespace atc::grouped {

namespace {

class GroupedPrepared final : public Prepared {
 public:
  GroupedPrepared(Problem problem, const Limits& limits, Plan plan)
      : problem_(std::move(problem)), device_(limits.device), plan_(std::move(plan)) {
    const cuda::ContextScope scope(device_.index);
    kernel_ = cuda::Kernel(gradient() ? cuda::kGroupedGradientKernels : cuda::kGroupedKernels,
                           plan_.kernel.c_str(), device_.index, plan_.shared_bytes);
    if (gradient())
      sum_kernel_ =
          cuda::Kernel(cuda::kImplicitFilterKernels, plan_.sum_kernel.c_str(), device_.index);
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
      kernel_.launch({{plan_.blocks}, {implicit::kThreads}, plan_.shared_bytes}, stream,
                     plan_.gradient, operands.x, operands.y, workspace);
      sum_kernel_.launch({{plan_.sum_blocks}, {implicit::kThreads}}, stream, plan_.gradient.sum,
                         plan_.filters, workspace, operands.w);
      return;
    }
    const void* const w = operands.w != nullptr ? operands.w : weights_.data();
    if (w == nullptr)
      fail(Status::invalid_argument,
           "w is null and no weights were set: pass w or call set_weights first");
    const bool forward = problem_.direction == Direction::forward;
    kernel_.launch({{plan_.blocks}, {implicit::kThreads}, plan_.shared_bytes}, stream,
                   plan_.geometry, forward ? operands.x : operands.y, w, operands.bias,
                   forward ? operands.y : operands.x);
  }

 private:
  bool gradient() const { return implicit::is_gradient(problem_); }

  Problem problem_;
  DeviceId device_;
  Plan plan_;
  cuda::Kernel kernel_, sum_kernel_;
  Allocation weights_;
};

}  // namespace

std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits, Plan plan) {
  return std::make_unique<GroupedPrepared>(problem, limits, std::move(plan));
}

}  // namespace atc::grouped
