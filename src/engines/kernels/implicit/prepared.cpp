#include "engines/kernels/implicit/prepared.hpp"

#include <utility>

#include "core/allocator.hpp"
#include "core/error.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/kernel.hpp"
#include "device/cuda/stream.hpp"

namespace atc::cuda {

extern const unsigned char kImplicitKernels[];
extern const unsigned char kImplicitGradientKernels[];
extern const unsigned char kImplicitFilterKernels[];

}  // namespace atc::cuda

namespace atc::implicit {

namespace {

class ImplicitPrepared final : public Prepared {
 public:
  ImplicitPrepared(Problem problem, const Limits& limits, Plan plan)
      : problem_(std::move(problem)), device_(limits.device), plan_(std::move(plan)) {
    const cuda::ContextScope scope(device_.index);
    kernel_ = cuda::Kernel(gradient() ? cuda::kImplicitGradientKernels : cuda::kImplicitKernels,
                           plan_.kernel.c_str(), device_.index, plan_.shared_bytes);
    if (!plan_.filter_kernel.empty())
      filter_kernel_ =
          cuda::Kernel(cuda::kImplicitFilterKernels, plan_.filter_kernel.c_str(), device_.index);
  }

  std::uint64_t workspace_size() const override { return plan_.workspace; }

  void set_weights(const void* w) override {
    const cuda::ContextScope scope(device_.index);
    if (plan_.filter_kernel.empty()) {
      weights_ = cuda::kept_copy(w, problem_.w.span_bytes(), device_);
    } else if (!gradient()) {
      Allocation packed(plan_.workspace, device_);
      pack(w, packed.data(), nullptr);
      cuda::synchronize(nullptr);
      weights_ = std::move(packed);
    }
  }

  void execute(const Operands& operands, void* workspace, Stream stream) override {
    const cuda::ContextScope scope(device_.index);
    if (gradient()) {
      kernel_.launch({{plan_.blocks}, {kThreads}, plan_.shared_bytes}, stream, plan_.geometry,
                     operands.x, operands.y, workspace);
      filter_kernel_.launch({{plan_.filter_blocks}, {kThreads}}, stream, plan_.geometry,
                            plan_.filters, workspace, operands.w);
      return;
    }
    const void* filters = operands.w;
    if (filters == nullptr) {
      filters = weights_.data();
      if (filters == nullptr)
        fail(Status::invalid_argument,
             "w is null and no weights were set: pass w or call set_weights first");
    } else if (!plan_.filter_kernel.empty()) {
      pack(operands.w, workspace, stream);
      filters = workspace;
    }
    const bool forward = problem_.direction == Direction::forward;
    kernel_.launch({{plan_.blocks}, {kThreads}, plan_.shared_bytes}, stream, plan_.geometry.g,
                   forward ? operands.x : operands.y, filters, operands.bias,
                   forward ? operands.y : operands.x);
  }

 private:
  bool gradient() const { return problem_.direction == Direction::backward_weight; }
  void pack(const void* w, void* to, Stream stream) const {
    filter_kernel_.launch({{plan_.filter_blocks, plan_.filter_blocks_y}, {kThreads}}, stream,
                          plan_.geometry.g, plan_.filters, w, to);
  }

  Problem problem_;
  DeviceId device_;
  Plan plan_;
  cuda::Kernel kernel_, filter_kernel_;
  Allocation weights_;
};

}  // namespace

std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits, Plan plan) {
  return std::make_unique<ImplicitPrepared>(problem, limits, std::move(plan));
}

}  // namespace atc::implicit
