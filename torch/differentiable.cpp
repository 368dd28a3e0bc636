#include "differentiable.hpp"

#include <ATen/DeviceGuard.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/add.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <array>

#include "convolve.hpp"
#include "original.hpp"
#include "recorder.hpp"
#include "trained_weights.hpp"

namespace atc_torch {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

Geometry view(const OwnGeometry& g) {
  return {g.stride, g.padding, g.dilation, g.transposed, g.output_padding, g.groups};
}

// The data that an autograd node keeps in addition to tensors. A node can only keep values of the
// type IValue, and an IValue cannot contain a struct of this bridge. So the node keeps a capsule:
// an IValue that refers to an object with a reference count.
struct Kept : torch::CustomClassHolder {
  OwnGeometry geometry;
  Options options;
  Flags flags;
  // True if a gradient was needed when the node was made. The value must be kept, because grad mode
  // is off in the node's function `forward`, so that needs_gradient() would return false there.
  bool needs_gradient = false;
};

using KeptPointer = c10::intrusive_ptr<Kept>;

void keep(AutogradContext* context, const KeptPointer& kept) {
  context->saved_data["kept"] = c10::IValue::make_capsule(kept);
  // After this call the node gets an undefined gradient as an undefined tensor. Otherwise LibTorch
  // would pass a tensor of zeros, and the node would convolve the zeros.
  context->set_materialize_grads(false);
}

KeptPointer kept_of(AutogradContext* context) {
  return c10::static_intrusive_pointer_cast<Kept>(context->saved_data["kept"].toCapsule());
}

// The name under which a node saves whether its convolution has a bias. This flag is not a member
// of Kept: the nodes for gradients of gradients use the same Kept object, but their convolutions
// have no bias.
constexpr const char* kHasBias = "has bias";
constexpr std::array<const char*, 3> kWanted = {"wants x", "wants w", "wants bias"};

// Returns one tensor each for x, w and bias. `wanted` has only the tensors for which `mask` is
// true, in this order. The other tensors of the result are undefined.
std::array<Variable, 3> spread(const variable_list& wanted, const BackwardMask& mask) {
  std::array<Variable, 3> all;
  for (std::size_t i = 0, next = 0; i < all.size(); ++i)
    if (mask[i]) all[i] = wanted[next++];
  return all;
}

// The autograd node that computes the gradients of a convolution. The node can itself be
// differentiated: each derivative of a forward, backward-data or backward-weight convolution is
// again one of these three. The node returns only the wanted gradients, because a node cannot
// return an undefined tensor.
struct Backward : torch::autograd::Function<Backward> {
  static variable_list forward(AutogradContext* context, const Variable& gradient,
                               const Variable& x, const Variable& w, const KeptPointer& kept,
                               const BackwardMask& wanted);
  static variable_list backward(AutogradContext* context, const variable_list& second);
};

struct Forward : torch::autograd::Function<Forward> {
  // A missing bias is std::nullopt, because autograd does not accept an undefined tensor as the
  // argument of a node.
  static Variable forward(AutogradContext* context, const Variable& x, const Variable& w,
                          const std::optional<Variable>& bias, const KeptPointer& kept) {
    context->save_for_backward({x, w});
    keep(context, kept);
    context->saved_data[kHasBias] = bias.has_value();
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    const c10::OptionalDeviceGuard guard(at::device_of(x));
    const Geometry geometry = view(kept->geometry);
    Variable y = convolve(x, w, bias, geometry, kept->flags, kept->options);
    record_forward(x, w, bias, geometry, y, kept->needs_gradient);
    return y;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const KeptPointer kept = kept_of(context);
    variable_list result(4);
    if (!gradients[0].defined()) return result;
    const BackwardMask wanted{
        context->needs_input_grad(0), context->needs_input_grad(1),
        context->saved_data[kHasBias].toBool() && context->needs_input_grad(2)};
    const auto computed =
        spread(Backward::apply(gradients[0], saved[0], saved[1], kept, wanted), wanted);
    std::copy(computed.begin(), computed.end(), result.begin());
    return result;
  }
};

variable_list Backward::forward(AutogradContext* context, const Variable& gradient,
                                const Variable& x, const Variable& w, const KeptPointer& kept,
                                const BackwardMask& wanted) {
  context->save_for_backward({gradient, x, w});
  keep(context, kept);
  for (std::size_t i = 0; i < wanted.size(); ++i) context->saved_data[kWanted[i]] = wanted[i];
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  const c10::OptionalDeviceGuard guard(at::device_of(gradient));
  const std::vector<std::int64_t> bias_sizes{gradient.size(1)};
  const Geometry geometry = view(kept->geometry);
  const Gradients gradients = convolve_backward(gradient, x, w, at::OptionalIntArrayRef(bias_sizes),
                                                geometry, wanted, kept->options, &kept->flags);
  record_backward(gradient, x, w, geometry, gradients);
  const auto& [grad_x, grad_w, grad_bias] = gradients;
  const std::array<Variable, 3> all{grad_x, grad_w, grad_bias};
  variable_list outputs;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (wanted[i]) outputs.push_back(all[i]);
  return outputs;
}

variable_list Backward::backward(AutogradContext* context, const variable_list& second) {
  const auto saved = context->get_saved_variables();
  const Variable &gradient = saved[0], &x = saved[1], &w = saved[2];
  const KeptPointer kept = kept_of(context);
  BackwardMask given{};
  for (std::size_t i = 0; i < given.size(); ++i)
    given[i] = context->saved_data[kWanted[i]].toBool();
  const auto [of_x, of_w, of_bias] = spread(second, given);
  const std::optional<Variable> none;
  Variable grad_gradient, grad_x, grad_w;
  const auto add = [](Variable& sum, const Variable& term) {
    sum = sum.defined() ? at::add(sum, term) : term;
  };
  if (context->needs_input_grad(0)) {
    if (of_x.defined()) add(grad_gradient, Forward::apply(of_x, w, none, kept));
    if (of_w.defined()) add(grad_gradient, Forward::apply(x, of_w, none, kept));
    if (of_bias.defined()) {
      std::vector<std::int64_t> shape(static_cast<std::size_t>(gradient.dim()), 1);
      shape[1] = of_bias.size(0);
      add(grad_gradient, of_bias.reshape(shape).expand_as(gradient));
    }
  }
  if (context->needs_input_grad(1) && of_w.defined())
    grad_x = Backward::apply(gradient, x, of_w, kept, BackwardMask{true, false, false})[0];
  if (context->needs_input_grad(2) && of_x.defined())
    grad_w = Backward::apply(gradient, of_x, w, kept, BackwardMask{false, true, false})[0];
  variable_list result(5);
  result[0] = grad_gradient;
  result[1] = grad_x;
  result[2] = grad_w;
  return result;
}

}  // namespace

at::Tensor differentiable_convolution(const at::Tensor& x, const at::Tensor& w,
                                      const std::optional<at::Tensor>& bias,
                                      const OwnGeometry& geometry, const Options& options) {
  note_weights_in_use(w);
  const auto kept = c10::make_intrusive<Kept>();
  kept->geometry = geometry;
  kept->needs_gradient = needs_gradient(x, w, bias);
  kept->options = options;
  kept->flags = original::flags_of_now();
  // If a gradient is needed, weights are not packed: neither here nor in the convolutions that
  // compute the gradients, because those use the same options.
  kept->options.constant_weights = options.constant_weights && !kept->needs_gradient;
  const bool has_bias = bias.has_value() && bias->defined();
  const std::optional<Variable> added = has_bias ? bias : std::nullopt;
  return Forward::apply(x, w, added, kept);
}

}  // namespace atc_torch
