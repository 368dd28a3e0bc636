// Plans of libatc that run on LibTorch's tensors.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

#include "atc/conv.h"
#include "guard.hpp"
#include "options.hpp"
#include "problem.hpp"
#include "statistics.hpp"

namespace atc_torch {

class Plan {
 public:
  // Takes a plan from libatc's cache. Throws Failure.
  Plan(const atc_conv_problem& problem, const Options& options, c10::Device device);
  ~Plan() { atc_conv_plan_release(plan_); }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  const char* choice() const;  // "engine@version:configuration"; valid while the plan lives
  // Returns why LibTorch's own convolution has to run; empty if this plan has to run.
  std::optional<Reason> passed() const;
  // Runs LibTorch's own convolution, which is the plan's choice. If libatc times this run, `run`
  // must only issue this convolution. Returns the result of `run(timed)`.
  template <typename Run>
  auto run_own(Run&& run) const {
    const bool timed = begin_own_run();
    auto result = run(timed);
    end_own_run();
    return result;
  }
  // Runs the plan. Returns a new tensor with the problem's strides. Ignores the tensor of `tensors`
  // that the direction writes.
  at::Tensor run(const atc_conv_problem& problem, const Tensors& tensors,
                 const at::Tensor* bias) const;

 private:
  bool begin_own_run() const;
  void end_own_run() const;
  void acquire_on_cuda(const atc_conv_problem& problem, Options options);

  const c10::Device device_;
  atc_conv_plan* plan_ = nullptr;
};

// Whether LibTorch's own convolution must not run in place of a plan that failed: the plan's choice
// was given or pinned, or pins bar every candidate.
bool must_be_obeyed(const Failure& failure, const atc_conv_problem& problem, const Options& options,
                    c10::Device device);

// Returns a new tensor with the shape and strides of the direction's output.
at::Tensor new_output(const atc_conv_problem& problem, c10::Device device);

// Runs `plan` on the tensors, on LibTorch's current stream. `w` is null if the plan has weights.
at::Tensor execute(atc_conv_plan* plan, const atc_conv_problem& problem, const at::Tensor* x,
                   const at::Tensor* w, const at::Tensor* y, const at::Tensor* bias,
                   c10::Device device);

}  // namespace atc_torch
