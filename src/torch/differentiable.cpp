#include "differentiable.hpp"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/add.h>
#include <torch/csrc/autograd/custom_function.h>

#include "convolve.hpp"

namespace atc_torch {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

Geometry view(const OwnGeometry& g) {
  return {g.stride, g.padding, g.dilation, g.transposed, g.output_padding, g.groups};
}

// What a node keeps besides tensors. An IValue holds no struct of ours, a capsule does.
struct Kept : torch::CustomClassHolder {
  OwnGeometry geometry;
  Options options;
  bool has_bias = false;
};

using KeptPointer = c10::intrusive_ptr<Kept>;

void keep(AutogradContext* context, const KeptPointer& kept) {
  context->saved_data["kept"] = c10::IValue::make_capsule(kept);
}

KeptPointer kept_of(AutogradContext* context) {
  return c10::static_intrusive_pointer_cast<Kept>(context->saved_data["kept"].toCapsule());
}

std::optional<at::Tensor> optional_of(const at::Tensor& tensor) {
  return tensor.defined() ? std::optional(tensor) : std::nullopt;
}

// The gradients of a convolution, themselves differentiable: each derivative of one of the three
// directions is one of the three directions again.
struct Backward : torch::autograd::Function<Backward> {
  static variable_list forward(AutogradContext* context, const Variable& gradient,
                               const Variable& x, const Variable& w, const KeptPointer& kept,
                               bool of_x, bool of_w, bool of_bias);
  static variable_list backward(AutogradContext* context, variable_list second);
};

struct Forward : torch::autograd::Function<Forward> {
  static Variable forward(AutogradContext* context, const Variable& x, const Variable& w,
                          const Variable& bias, const KeptPointer& kept) {
    context->save_for_backward({x, w});
    keep(context, kept);
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    return convolve(x, w, optional_of(bias), view(kept->geometry), {}, kept->options);
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const KeptPointer kept = kept_of(context);
    variable_list result(4);
    if (!gradients[0].defined()) return result;
    const auto computed = Backward::apply(
        gradients[0], saved[0], saved[1], kept, context->needs_input_grad(0),
        context->needs_input_grad(1), kept->has_bias && context->needs_input_grad(2));
    for (std::size_t i = 0; i < computed.size(); ++i) result[i] = computed[i];
    return result;
  }
};

variable_list Backward::forward(AutogradContext* context, const Variable& gradient,
                                const Variable& x, const Variable& w, const KeptPointer& kept,
                                bool of_x, bool of_w, bool of_bias) {
  context->save_for_backward({gradient, x, w});
  keep(context, kept);
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  const std::vector<std::int64_t> bias_sizes{gradient.size(1)};
  const auto [grad_x, grad_w, grad_bias] =
      convolve_backward(gradient, x, w, at::OptionalIntArrayRef(bias_sizes), view(kept->geometry),
                        {of_x, of_w, of_bias}, kept->options);
  return {grad_x, grad_w, grad_bias};
}

variable_list Backward::backward(AutogradContext* context, variable_list second) {
  const auto saved = context->get_saved_variables();
  const Variable &gradient = saved[0], &x = saved[1], &w = saved[2];
  const KeptPointer kept = kept_of(context);
  const Variable &of_x = second[0], &of_w = second[1], &of_bias = second[2];
  Variable grad_gradient, grad_x, grad_w;
  const auto add = [](Variable& sum, const Variable& term) {
    sum = sum.defined() ? at::add(sum, term) : term;
  };
  if (context->needs_input_grad(0)) {
    if (of_x.defined()) add(grad_gradient, Forward::apply(of_x, w, Variable(), kept));
    if (of_w.defined()) add(grad_gradient, Forward::apply(x, of_w, Variable(), kept));
    if (of_bias.defined()) {
      std::vector<std::int64_t> shape(static_cast<std::size_t>(gradient.dim()), 1);
      shape[1] = of_bias.size(0);
      add(grad_gradient, of_bias.reshape(shape).expand_as(gradient));
    }
  }
  if (context->needs_input_grad(1) && of_w.defined())
    grad_x = Backward::apply(gradient, x, of_w, kept, true, false, false)[0];
  if (context->needs_input_grad(2) && of_x.defined())
    grad_w = Backward::apply(gradient, of_x, w, kept, false, true, false)[1];
  variable_list result(7);
  result[0] = grad_gradient;
  result[1] = grad_x;
  result[2] = grad_w;
  return result;
}

}  // namespace

at::Tensor differentiable_convolution(const at::Tensor& x, const at::Tensor& w,
                                      const std::optional<at::Tensor>& bias,
                                      const OwnGeometry& geometry, const Options& options) {
  const auto kept = c10::make_intrusive<Kept>();
  kept->geometry = geometry;
  kept->options = options;
  kept->has_bias = bias.has_value() && bias->defined();
  return Forward::apply(x, w, kept->has_bias ? *bias : at::Tensor(), kept);
}

}  // namespace atc_torch
