// libatc's plans, held and run for LibTorch's tensors.
#pragma once

#include <ATen/core/Tensor.h>

#include "atc/conv.h"
#include "options.hpp"
#include "problem.hpp"

namespace atc_torch {

class Plan {
 public:
  // From libatc's cache. Throws Failure.
  Plan(const atc_conv_problem& problem, const Options& options);
  ~Plan() { atc_conv_plan_release(plan_); }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  const char* choice() const;     // "engine@version:configuration", as long as the plan lives
  bool is_libtorchs_own() const;  // LibTorch's own convolution is the choice
  // A new tensor with the problem's strides. The tensor that the direction writes is not looked at.
  at::Tensor run(const atc_conv_problem& problem, const Tensors& tensors,
                 const at::Tensor* bias) const;

 private:
  atc_conv_plan* plan_ = nullptr;
};

// A new tensor as the direction's output.
at::Tensor new_output(const atc_conv_problem& problem);

// Runs `plan` on the tensors; `w` null: the plan has weights.
at::Tensor execute(atc_conv_plan* plan, const atc_conv_problem& problem, const at::Tensor* x,
                   const at::Tensor* w, const at::Tensor* y, const at::Tensor* bias);

}  // namespace atc_torch
