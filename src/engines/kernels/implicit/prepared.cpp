#include "engines/kernels/implicit/prepared.hpp"

#include <utility>

#include "device/cuda/driver.hpp"
#include "device/cuda/kernel.hpp"
#include "engines/kernels/implicit/shape.hpp"
#include "engines/kernels/prepared.hpp"

namespace atc::cuda {

extern const unsigned char kImplicitKernels[];
extern const unsigned char kImplicitGradientKernels[];
extern const unsigned char kImplicitFilterKernels[];
extern const unsigned char kImplicitRasterKernels[];
extern const unsigned char kImplicitRasterGradientKernels[];

}  // namespace atc::cuda

namespace atc::implicit {

namespace {

class ImplicitPrepared final : public kernels::ConvolutionPrepared {
 public:
  ImplicitPrepared(const Problem& problem, const Limits& limits, Plan plan)
      : ConvolutionPrepared(problem, limits, plan.workspace, plan.workspace),
        plan_(std::move(plan)) {
    const cuda::ContextScope scope(limits.device.index);
    kernel_ = cuda::Kernel(cuda::kImplicitKernels, plan_.kernel.c_str(), limits.device.index,
                           plan_.shared_bytes);
    if (!plan_.filter_kernel.empty())
      pack_kernel_ = cuda::Kernel(cuda::kImplicitFilterKernels, plan_.filter_kernel.c_str(),
                                  limits.device.index);
  }

 private:
  void launch(const Addresses& at, void*, Stream stream) const override {
    kernel_.launch({{plan_.blocks}, {kThreads}, plan_.shared_bytes}, stream, plan_.geometry.g,
                   at.in, at.filters, at.bias, at.out);
  }
  void pack(const void* w, void* to, Stream stream) const override {
    pack_kernel_.launch({{plan_.filter_blocks, plan_.filter_blocks_y}, {kThreads}}, stream,
                        plan_.geometry.g, plan_.filters, w, to);
  }

  Plan plan_;
  cuda::Kernel kernel_, pack_kernel_;
};

// Forward and backward-data by products of warpgroups.
class RasterPrepared final : public kernels::ConvolutionPrepared {
 public:
  RasterPrepared(const Problem& problem, const Limits& limits, Plan plan)
      : ConvolutionPrepared(problem, limits, plan.workspace, plan.workspace),
        plan_(std::move(plan)) {
    const cuda::ContextScope scope(limits.device.index);
    kernel_ = cuda::Kernel(cuda::kImplicitRasterKernels, plan_.kernel.c_str(), limits.device.index,
                           plan_.shared_bytes);
    pack_kernel_ = cuda::Kernel(cuda::kImplicitFilterKernels, plan_.filter_kernel.c_str(),
                                limits.device.index);
  }

 private:
  void launch(const Addresses& at, void*, Stream stream) const override {
    kernel_.launch({{plan_.blocks}, {kRasterThreads}, plan_.shared_bytes}, stream, plan_.raster.s,
                   at.in, at.filters, at.bias, at.out);
  }
  void pack(const void* w, void* to, Stream stream) const override {
    pack_kernel_.launch({{plan_.filter_blocks, plan_.filter_blocks_y}, {kThreads}}, stream,
                        plan_.raster.s, plan_.filters, w, to);
  }

  Plan plan_;
  cuda::Kernel kernel_, pack_kernel_;
};

class ImplicitGradientPrepared final : public kernels::GradientPrepared {
 public:
  ImplicitGradientPrepared(const Limits& limits, Plan plan)
      : GradientPrepared(limits, plan.workspace), plan_(std::move(plan)) {
    const cuda::ContextScope scope(limits.device.index);
    kernel_ = cuda::Kernel(cuda::kImplicitGradientKernels, plan_.kernel.c_str(),
                           limits.device.index, plan_.shared_bytes);
    sum_kernel_ = cuda::Kernel(cuda::kImplicitFilterKernels, plan_.filter_kernel.c_str(),
                               limits.device.index);
  }

 private:
  void launch(const Operands& operands, void* workspace, Stream stream) const override {
    kernel_.launch({{plan_.blocks}, {kThreads}, plan_.shared_bytes}, stream, plan_.geometry,
                   operands.x, operands.y, workspace);
    sum_kernel_.launch({{plan_.filter_blocks}, {kThreads}}, stream, plan_.geometry, plan_.filters,
                       workspace, operands.w);
  }

  Plan plan_;
  cuda::Kernel kernel_, sum_kernel_;
};

class RasterGradientPrepared final : public kernels::GradientPrepared {
 public:
  RasterGradientPrepared(const Limits& limits, Plan plan)
      : GradientPrepared(limits, plan.workspace), plan_(std::move(plan)) {
    const cuda::ContextScope scope(limits.device.index);
    kernel_ = cuda::Kernel(cuda::kImplicitRasterGradientKernels, plan_.kernel.c_str(),
                           limits.device.index, plan_.shared_bytes);
    sum_kernel_ = cuda::Kernel(cuda::kImplicitFilterKernels, plan_.filter_kernel.c_str(),
                               limits.device.index);
  }

 private:
  void launch(const Operands& operands, void* workspace, Stream stream) const override {
    kernel_.launch({{plan_.blocks}, {kThreads}, plan_.shared_bytes}, stream, plan_.raster,
                   operands.x, operands.y, workspace);
    sum_kernel_.launch({{plan_.filter_blocks}, {kThreads}}, stream, plan_.raster, plan_.filters,
                       operands.x, operands.y, workspace, operands.w);
  }

  Plan plan_;
  cuda::Kernel kernel_, sum_kernel_;
};

}  // namespace

std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits, Plan plan) {
  const bool raster = plan.raster.s.block_tiles != 0;
  if (is_gradient(problem)) {
    if (raster) return std::make_unique<RasterGradientPrepared>(limits, std::move(plan));
    return std::make_unique<ImplicitGradientPrepared>(limits, std::move(plan));
  }
  if (raster) return std::make_unique<RasterPrepared>(problem, limits, std::move(plan));
  return std::make_unique<ImplicitPrepared>(problem, limits, std::move(plan));
}

}  // namespace atc::implicit
