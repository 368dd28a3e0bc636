// A plan of libatc that is executed on tensors of LibTorch.
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
  // Takes a plan from libatc's cache of plans. If the cache has none, libatc makes one. Throws
  // Failure.
  Plan(const atc_conv_problem& problem, const Options& options, c10::Device device);
  ~Plan() { atc_conv_plan_release(plan_); }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  // the implementation as "engine@version:configuration"; the text is valid as long as the plan
  // exists
  const char* choice() const;
  // Returns why LibTorch's own convolution has to run instead of this plan. Empty if this plan has
  // to run.
  std::optional<Reason> passed() const;
  // Must be called if passed() returned a reason, so that LibTorch's own convolution runs. Calls
  // `run(timed)` and returns its result. If `timed` is true, libatc times this call. Then `run`
  // must run LibTorch's own convolution and nothing else.
  template <typename Run>
  auto run_own(Run&& run) const {
    const bool timed = begin_own_run();
    auto result = run(timed);
    end_own_run();
    return result;
  }
  // Runs the plan. Returns the result as a new tensor with the output strides of the problem. The
  // tensor that the direction writes is not read from `tensors`.
  at::Tensor run(const atc_conv_problem& problem, const Tensors& tensors,
                 const at::Tensor* bias) const;

 private:
  bool begin_own_run() const;
  void end_own_run() const;
  void acquire_on_cuda(const atc_conv_problem& problem, Options options);

  const c10::Device device_;
  atc_conv_plan* plan_ = nullptr;
};

// Returns true if LibTorch's own convolution must not run in place of a plan that failed. This is
// so if the user has prescribed the implementation (by an option or a pin), or if pins forbid all
// candidates.
bool must_be_obeyed(const Failure& failure, const atc_conv_problem& problem, const Options& options,
                    c10::Device device);

// Returns a new tensor with the shape and strides of the tensor that the problem's direction
// writes.
at::Tensor new_output(const atc_conv_problem& problem, c10::Device device);

// Runs `plan` on the given tensors, on LibTorch's current stream. The tensor that the direction
// writes is null, and `w` is null if the plan has packed weights. Returns the output.
at::Tensor execute(atc_conv_plan* plan, const atc_conv_problem& problem, const at::Tensor* x,
                   const at::Tensor* w, const at::Tensor* y, const at::Tensor* bias,
                   c10::Device device);

}  // namespace atc_torch
