#include "original.hpp"

#include <ATen/Context.h>
#include <ATen/ops/_convolution_native.h>
#include <ATen/ops/convolution_backward_native.h>

namespace atc_torch::original {

Flags flags_of_now() {
  const at::Context& context = at::globalContext();
  return {context.benchmarkCuDNN(),
          context.deterministicCuDNN() || context.deterministicAlgorithms(),
          context.userEnabledCuDNN(), context.allowTF32CuDNN(at::Float32Op::CONV)};
}

at::Tensor forward(const at::Tensor& x, const at::Tensor& w, const std::optional<at::Tensor>& bias,
                   const Geometry& g, const Flags& flags) {
  return at::native::_convolution(x, w, bias, g.stride, g.padding, g.dilation, g.transposed,
                                  g.output_padding, g.groups, flags.benchmark, flags.deterministic,
                                  flags.cudnn_enabled, flags.allow_tf32);
}

Gradients backward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& w,
                   at::OptionalIntArrayRef bias_sizes, const Geometry& g,
                   const BackwardMask& mask) {
  return at::native::convolution_backward(gradient, x, w, bias_sizes, g.stride, g.padding,
                                          g.dilation, g.transposed, g.output_padding, g.groups,
                                          mask);
}

}  // namespace atc_torch::original
