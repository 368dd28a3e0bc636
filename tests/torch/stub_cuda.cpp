// Stands in for libtorch_cuda. The stub has kernels under the CUDA key, and hooks that answer like
// a CUDA build of LibTorch on a machine without a driver.
#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/ops/empty_like.h>
#include <torch/library.h>

namespace {

// LibTorch finds this class by its name, CUDAHooks, in a registry of classes.
struct CUDAHooks final : at::CUDAHooksInterface {
  explicit CUDAHooks(at::CUDAHooksArgs) {}
  bool hasCUDA() const override { return false; }
  bool hasCuDNN() const override { return true; }
  long versionCuDNN() const override { return 91900; }
  long versionRuntimeCuDNN() const override { return 91901; }
};

at::Tensor convolution(const at::Tensor& x, const at::Tensor&, const std::optional<at::Tensor>&,
                       at::IntArrayRef, at::IntArrayRef, at::IntArrayRef, bool, at::IntArrayRef,
                       std::int64_t, bool, bool, bool, bool) {
  return at::empty_like(x);
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> backward(const at::Tensor& gradient,
                                                        const at::Tensor&, const at::Tensor&,
                                                        at::OptionalIntArrayRef, at::IntArrayRef,
                                                        at::IntArrayRef, at::IntArrayRef, bool,
                                                        at::IntArrayRef, std::int64_t,
                                                        std::array<bool, 3>) {
  return {gradient, gradient, gradient};
}

}  // namespace

namespace at {
REGISTER_CUDA_HOOKS(CUDAHooks);
}  // namespace at

TORCH_LIBRARY_IMPL(aten, CUDA, library) {
  library.impl("_convolution", convolution);
  library.impl("convolution_backward", backward);
}
