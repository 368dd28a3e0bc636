#include "engines/kernels/first/prepared.hpp"

#include <utility>

#include "core/allocator.hpp"
#include "core/error.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/kernel.hpp"
#include "device/cuda/stream.hpp"

namespace atc::cuda {

extern const unsigned char kFirstKernels[];

}  // namespace atc::cuda

namespace atc::first {

namespace {

class FirstPrepared final : public Prepared {
 public:
  FirstPrepared(Problem problem, const Limits& limits, Plan plan)
      : problem_(std::move(problem)), device_(limits.device), plan_(std::move(plan)) {
    const cuda::ContextScope scope(device_.index);
    kernel_ = cuda::Kernel(cuda::kFirstKernels, plan_.kernel.c_str(), device_.index,
                           plan_.shared_bytes);
  }

  std::uint64_t workspace_size() const override { return 0; }

  void set_weights(const void* w) override {
    const cuda::ContextScope scope(device_.index);
    weights_ = cuda::kept_copy(w, problem_.w.span_bytes(), device_);
  }

  void execute(const Operands& operands, void* /*workspace*/, Stream stream) override {
    const cuda::ContextScope scope(device_.index);
    const void* const filters = operands.w != nullptr ? operands.w : weights_.data();
    if (filters == nullptr)
      fail(Status::invalid_argument,
           "w is null and no weights were set: pass w or call set_weights first");
    kernel_.launch({{plan_.blocks}, {kThreads}, plan_.shared_bytes}, stream, plan_.geometry,
                   operands.x, filters, operands.bias, operands.y);
  }

 private:
  Problem problem_;
  DeviceId device_;
  Plan plan_;
  cuda::Kernel kernel_;
  Allocation weights_;
};

}  // namespace

std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits, Plan plan) {
  return std::make_unique<FirstPrepared>(problem, limits, std::move(plan));
}

}  // namespace atc::first
