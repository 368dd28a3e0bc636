#include "plan.hpp"

#include <ATen/ops/empty_strided.h>

#include "aten_engine.hpp"
#include "guard.hpp"

namespace atc_torch {

namespace {

constexpr atc_device kCpu{ATC_DEVICE_CPU, 0};

}  // namespace

Plan::Plan(const atc_conv_problem& problem, const Options& options) {
  const atc_conv_options asked = to_plan_options(options);
  check(atc_conv_plan_acquire(&plan_, kCpu, &problem, &asked));
}

const char* Plan::choice() const {
  const char* choice = nullptr;
  check(atc_conv_plan_choice(&choice, plan_));
  return choice;
}

bool Plan::is_libtorchs_own() const { return is_aten(choice()); }

at::Tensor new_output(const atc_conv_problem& problem) {
  atc_conv_problem copy = problem;
  const std::int64_t* const strides = output_strides(copy);
  const auto dims = static_cast<std::size_t>(problem.spatial_dims) + 2;
  return at::empty_strided(output_shape(problem), at::IntArrayRef(strides, dims),
                           at::TensorOptions().dtype(scalar_type(problem.x_dtype)));
}

at::Tensor execute(atc_conv_plan* plan, const atc_conv_problem& problem, const at::Tensor* x,
                   const at::Tensor* w, const at::Tensor* y, const at::Tensor* bias) {
  at::Tensor output = new_output(problem);
  if (problem.direction == ATC_FORWARD) y = &output;
  if (problem.direction == ATC_BACKWARD_DATA) x = &output;
  if (problem.direction == ATC_BACKWARD_WEIGHT) w = &output;
  const atc_tensor_view x_view = view_of(*x), y_view = view_of(*y);
  atc_tensor_view w_view{}, bias_view{};
  if (w != nullptr) w_view = view_of(*w);
  if (bias != nullptr) bias_view = view_of(*bias);
  check(atc_conv_plan_execute(plan, &x_view, w != nullptr ? &w_view : nullptr,
                              bias != nullptr ? &bias_view : nullptr, &y_view, nullptr, 0,
                              nullptr));
  return output;
}

at::Tensor Plan::run(const atc_conv_problem& problem, const Tensors& tensors,
                     const at::Tensor* bias) const {
  return execute(plan_, problem, &tensors.x, &tensors.w, &tensors.y, bias);
}

}  // namespace atc_torch
