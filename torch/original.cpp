#include "original.hpp"

#include <ATen/Context.h>
#include <ATen/native/ConvUtils.h>
#include <ATen/ops/_convolution_native.h>
#include <ATen/ops/convolution_backward_native.h>
#include <c10/util/strides.h>

#include <array>
#include <atomic>
#include <type_traits>
#include <vector>

#include "cuda.hpp"
#include "cudnn_layout.hpp"
#include "float32_precision.hpp"
#include "proof.hpp"
#include "warning.hpp"

namespace atc_torch::original {

Flags flags_of_now() {
  const at::Context& context = at::globalContext();
  return {context.benchmarkCuDNN(),
          context.deterministicCuDNN() || context.deterministicAlgorithms(),
          context.userEnabledCuDNN(), context.allowTF32CuDNN(Float32Op::CONV)};
}

namespace {

using at::native::ConvBackend;

bool operator==(const Flags& a, const Flags& b) {
  return a.benchmark == b.benchmark && a.deterministic == b.deterministic &&
         a.cudnn_enabled == b.cudnn_enabled && a.allow_tf32 == b.allow_tf32;
}

// Returns one number for each spatial dimension. As in LibTorch, a convolution with one spatial
// dimension is computed as one with two. `none` is the number for the added first dimension.
std::vector<std::int64_t> expand(at::IntArrayRef values, const at::Tensor& x, std::int64_t none) {
  const auto spatial = static_cast<std::size_t>(x.dim()) - 2;
  std::vector<std::int64_t> all = values.vec();
  if (values.size() == 1) all.assign(spatial, values[0]);
  if (spatial == 1) all.insert(all.begin(), none);
  return all;
}

at::Tensor in_two_dimensions(const at::Tensor& tensor) {
  return tensor.dim() == 3 ? tensor.unsqueeze(2) : tensor;
}

ConvBackend backend_of(const at::Tensor& x, const at::Tensor& w, at::OptionalIntArrayRef bias_sizes,
                       const Geometry& g) {
  const at::OptionalSymIntArrayRef sizes =
      bias_sizes ? at::OptionalSymIntArrayRef(c10::fromIntArrayRefSlow(*bias_sizes))
                 : at::OptionalSymIntArrayRef();
  return at::native::select_conv_backend(
      x, w, std::nullopt, c10::fromIntArrayRefSlow(g.stride), c10::fromIntArrayRefSlow(g.padding),
      c10::fromIntArrayRefSlow(g.dilation), g.transposed,
      c10::fromIntArrayRefSlow(g.output_padding), g.groups, sizes);
}

bool is_cudnn(ConvBackend backend) {
  return backend == ConvBackend::Cudnn || backend == ConvBackend::CudnnTranspose;
}

// Returns the function that libtorch_cuda has registered in `stub`, one of LibTorch's dispatch
// stubs (objects with one function pointer per device type). The pointer is read from the stub's
// data. The call operator of the stub cannot be used here, because it is compiled for the
// instruction sets of LibTorch's own build.
template <typename Function, typename Tag>
Function of_cuda(at::native::DispatchStub<Function, Tag>& stub) {
  using at::native::DispatchStubImpl;
  static_assert(std::is_standard_layout_v<at::native::DispatchStub<Function, Tag>>);
  void* const function = reinterpret_cast<DispatchStubImpl&>(stub).cuda_dispatch_ptr;
  TORCH_CHECK(function != nullptr, "LibTorch has no gradients of cuDNN's");
  return reinterpret_cast<Function>(function);
}

// Computes gradients like the cuDNN part of at::native::convolution_backward, but with the flags as
// an argument. at::native::convolution_backward takes no flags and reads the current switches.
Gradients backward_of_cudnn(const at::Tensor& gradient, const at::Tensor& given_x,
                            const at::Tensor& given_w, const Geometry& g, const BackwardMask& mask,
                            ConvBackend backend, const Flags& flags) {
  const auto stride = expand(g.stride, given_x, 1), padding = expand(g.padding, given_x, 0),
             dilation = expand(g.dilation, given_x, 1);
  // If x has one spatial dimension, x is made contiguous before a second spatial dimension is
  // added, as in LibTorch. Otherwise the strides of the new x could be those of the format channels
  // last.
  const at::Tensor w = in_two_dimensions(given_w), y = in_two_dimensions(gradient);
  at::Tensor x = given_x.dim() == 3 ? in_two_dimensions(given_x.contiguous()) : given_x;
  if (mask[1]) x = x.contiguous(at::native::_determine_backend_memory_format(x, w, backend));
  const std::array<bool, 2> wanted{mask[0], mask[1]};
  Gradients gradients;
  auto& [of_x, of_w, of_bias] = gradients;
  if (backend == ConvBackend::Cudnn) {
    std::tie(of_x, of_w) = of_cuda(at::native::cudnn_convolution_backward_stub)(
        x, y, w, padding, stride, dilation, g.groups, flags.benchmark, flags.deterministic,
        flags.allow_tf32, wanted);
  } else {
    std::tie(of_x, of_w) = of_cuda(at::native::cudnn_convolution_transpose_backward_stub)(
        x, y, w, padding, expand(g.output_padding, given_x, 0), stride, dilation, g.groups,
        flags.benchmark, flags.deterministic, flags.allow_tf32, wanted);
  }
  if (given_x.dim() == 3)
    for (at::Tensor* of : {&of_x, &of_w})
      if (of->defined()) *of = of->squeeze(2);
  if (mask[2]) of_bias = bias_gradient(gradient);
  return gradients;
}

// Returns whether backward_of_cudnn computes the same bits as LibTorch on `device`. This is tested
// at run time, because backward_of_cudnn relies on the layout of a private class of LibTorch. Each
// device is tested at the first call for it, not earlier, because the bridge must not open a device
// that the program does not use. If the bits differ, a warning is printed once.
bool is_proven(c10::Device device) {
  enum State : char { untried, proven, refuted };
  static std::array<std::atomic<State>, 128> states{};
  std::atomic<State>& state = states[static_cast<std::size_t>(device.index()) % states.size()];
  if (state == untried) {
    // The test is not made while the stream is captured, because the capture would record its
    // kernels.
    if (is_captured(current_stream(device))) return false;
    const Flags now = flags_of_now();
    const auto libtorch = [](const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& w,
                             const Geometry& geometry, const BackwardMask& mask) {
      return original::backward(gradient, x, w, std::nullopt, geometry, mask);
    };
    const auto candidate = [&](const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& w,
                               const Geometry& geometry, const BackwardMask& mask) {
      const ConvBackend backend = backend_of(x, w, std::nullopt, geometry);
      TORCH_CHECK(is_cudnn(backend), "LibTorch does not run cuDNN for a small convolution");
      return backward_of_cudnn(gradient, x, w, geometry, mask, backend, now);
    };
    const std::string objection = objection_to(candidate, libtorch, device);
    state = objection.empty() ? proven : refuted;
    if (!objection.empty())
      warn_once(
          "gradients with switches of their own are left to LibTorch, with its switches of "
          "now, on CUDA device " +
          std::to_string(device.index()) + ": " + objection);
  }
  return state == proven;
}

}  // namespace

at::Tensor bias_gradient(const at::Tensor& gradient) {
  std::vector<std::int64_t> dims{0};
  for (std::int64_t i = 2; i < gradient.dim(); ++i) dims.push_back(i);
  return gradient.sum(dims);
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

Gradients backward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& w,
                   at::OptionalIntArrayRef bias_sizes, const Geometry& g, const BackwardMask& mask,
                   const Flags& flags) {
  if (!x.is_cuda() || flags == flags_of_now()) return backward(gradient, x, w, bias_sizes, g, mask);
  const ConvBackend backend = backend_of(x, w, bias_sizes, g);
  if (!is_cudnn(backend) || !is_proven(x.device()))
    return backward(gradient, x, w, bias_sizes, g, mask);
  return backward_of_cudnn(gradient, x, w, g, mask, backend, flags);
}

std::optional<at::MemoryFormat> format_of_cudnn(atc_direction direction, const Tensors& tensors,
                                                const Geometry& g) {
  const at::Tensor &x = tensors.x, &w = tensors.w;
  const ConvBackend backend = backend_of(x, w, std::nullopt, g);
  if (!is_cudnn(backend)) return std::nullopt;
  if (x.dim() == 3) {
    // LibTorch treats a convolution with one spatial dimension as a convolution with two. With the
    // added dimension, LibTorch may take the strides of a tensor for those of channels last. This
    // cannot happen if all strides are exactly those of a contiguous tensor, also in dimensions
    // with one element. So the format is predicted only if all tensors are contiguous in this
    // sense.
    for (const at::Tensor* tensor : {&x, &w, &tensors.y})
      if (tensor->defined() &&
          tensor->strides() != at::IntArrayRef(c10::contiguous_strides(tensor->sizes())))
        return std::nullopt;
    return at::MemoryFormat::Contiguous;
  }
  return format_by_cudnn(direction, g.transposed, tensors,
                         at::native::_determine_backend_memory_format(x, w, backend));
}

}  // namespace atc_torch::original
