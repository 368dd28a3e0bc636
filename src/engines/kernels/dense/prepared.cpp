#include "engines/kernels/dense/prepared.hpp"

#include <utility>

#include "device/cuda/driver.hpp"
#include "device/cuda/kernel.hpp"
#include "engines/kernels/prepared.hpp"

namespace atc::cuda {

extern const unsigned char kDenseKernels[];
extern const unsigned char kDenseFilterKernels[];

}  // namespace atc::cuda

namespace atc::dense {

namespace {

constexpr unsigned kPackThreads = 512;

class DensePrepared final : public kernels::ConvolutionPrepared {
 public:
  DensePrepared(const Problem& problem, const Limits& limits, Plan plan)
      : ConvolutionPrepared(problem, limits, plan.workspace, plan.filter_bytes),
        plan_(std::move(plan)) {
    const int device = limits.device.index;
    const cuda::ContextScope scope(device);
    kernel_ = cuda::Kernel(cuda::kDenseKernels, plan_.kernel.c_str(), device, plan_.shared_bytes);
    if (!plan_.sum_kernel.empty())
      sum_kernel_ = cuda::Kernel(cuda::kDenseKernels, plan_.sum_kernel.c_str(), device,
                                 plan_.sum_shared_bytes);
    pack_kernel_ =
        cuda::Kernel(cuda::kDenseFilterKernels, "atc_dense_pack", device, plan_.pack_shared_bytes);
  }

 private:
  void launch(const Addresses& at, void* workspace, Stream stream) const override {
    void* const parts = static_cast<unsigned char*>(workspace) + plan_.filter_bytes;
    kernel_.launch({{plan_.blocks}, {plan_.threads}, plan_.shared_bytes}, stream, plan_.geometry,
                   at.in, at.filters, at.bias, at.out, parts);
    if (!plan_.sum_kernel.empty())
      sum_kernel_.launch({{plan_.sum_blocks}, {plan_.sum_threads}, plan_.sum_shared_bytes}, stream,
                         plan_.geometry, parts, at.bias, at.out);
  }
  void pack(const void* w, void* to, Stream stream) const override {
    pack_kernel_.launch(
        {{plan_.pack_blocks_x, plan_.pack_blocks_y}, {kPackThreads}, plan_.pack_shared_bytes},
        stream, plan_.filters, w, to);
  }

  Plan plan_;
  cuda::Kernel kernel_, pack_kernel_, sum_kernel_;
};

}  // namespace

std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits, Plan plan) {
  return std::make_unique<DensePrepared>(problem, limits, std::move(plan));
}

}  // namespace atc::dense
