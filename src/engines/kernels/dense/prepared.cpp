#include "engines/kernels/dense/prepared.hpp"

#include <utility>

#include "core/allocator.hpp"
#include "core/error.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/kernel.hpp"
#include "device/cuda/stream.hpp"

namespace atc::cuda {

extern const unsigned char kDenseKernels[];
extern const unsigned char kDenseFilterKernels[];

}  // namespace atc::cuda

namespace atc::dense {

namespace {

constexpr unsigned kPackThreads = 512;

class DensePrepared final : public Prepared {
 public:
  DensePrepared(Problem problem, const Limits& limits, Plan plan)
      : problem_(std::move(problem)), device_(limits.device), plan_(std::move(plan)) {
    const cuda::ContextScope scope(device_.index);
    kernel_ =
        cuda::Kernel(cuda::kDenseKernels, plan_.kernel.c_str(), device_.index, plan_.shared_bytes);
    if (!plan_.sum_kernel.empty())
      sum_kernel_ = cuda::Kernel(cuda::kDenseKernels, plan_.sum_kernel.c_str(), device_.index,
                                 plan_.sum_shared_bytes);
    pack_kernel_ = cuda::Kernel(cuda::kDenseFilterKernels, "atc_dense_pack", device_.index,
                                plan_.pack_shared_bytes);
  }

  std::uint64_t workspace_size() const override { return plan_.workspace; }

  void set_weights(const void* w) override {
    const cuda::ContextScope scope(device_.index);
    Allocation packed(plan_.filter_bytes, device_);
    pack(w, packed.data(), nullptr);
    cuda::synchronize(nullptr);
    weights_ = std::move(packed);
  }

  void execute(const Operands& operands, void* workspace, Stream stream) override {
    const cuda::ContextScope scope(device_.index);
    const void* filters = workspace;
    if (operands.w != nullptr) {
      pack(operands.w, workspace, stream);
    } else {
      filters = weights_.data();
      if (filters == nullptr)
        fail(Status::invalid_argument,
             "w is null and no weights were set: pass w or call set_weights first");
    }
    const bool forward = problem_.direction == Direction::forward;
    const void* const in = forward ? operands.x : operands.y;
    void* const out = forward ? operands.y : operands.x;
    void* const parts = static_cast<unsigned char*>(workspace) + plan_.filter_bytes;
    kernel_.launch({{plan_.blocks}, {plan_.threads}, plan_.shared_bytes}, stream, plan_.geometry,
                   in, filters, operands.bias, out, parts);
    if (!plan_.sum_kernel.empty())
      sum_kernel_.launch({{plan_.sum_blocks}, {plan_.sum_threads}, plan_.sum_shared_bytes}, stream,
                         plan_.geometry, parts, operands.bias, out);
  }

 private:
  void pack(const void* w, void* to, Stream stream) const {
    pack_kernel_.launch(
        {{plan_.pack_blocks_x, plan_.pack_blocks_y}, {kPackThreads}, plan_.pack_shared_bytes},
        stream, plan_.filters, w, to);
  }

  Problem problem_;
  DeviceId device_;
  Plan plan_;
  cuda::Kernel kernel_, pack_kernel_, sum_kernel_;
  Allocation weights_;
};

}  // namespace

std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits, Plan plan) {
  return std::make_unique<DensePrepared>(problem, limits, std::move(plan));
}

}  // namespace atc::dense
