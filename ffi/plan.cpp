// The functions of atc/conv.h that execute a plan (a convolution that is prepared for execution) or
// return its properties.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "atc/conv.h"
#include "conv/run/sample.hpp"
#include "convert.hpp"
#include "convert_candidate.hpp"
#include "convert_operands.hpp"
#include "guard.hpp"
#include "plan_handle.hpp"

using namespace atc;
using namespace atc::ffi;

namespace {

void execute(atc_conv_plan* handle, const Views& views, void* workspace,
             std::uint64_t workspace_size, atc_stream stream) {
  conv::Plan& plan = required(handle, "plan").plan();
  const Operands operands =
      check_operands(plan.problem(), views, plan.device(), plan.has_weights());
  check_alignment(plan.problem(), views, plan.alignment());
  if (workspace != nullptr) {
    if (workspace_size < plan.workspace_size())
      fail(Status::invalid_argument,
           "workspace_size is {}, the plan needs {}: ask the plan for its workspace_size",
           workspace_size, plan.workspace_size());
    const std::uintptr_t alignment = plan.device().type == DeviceType::cuda ? 256 : 64;
    if (reinterpret_cast<std::uintptr_t>(workspace) % alignment != 0)
      fail(Status::invalid_argument, "workspace {} is not aligned to {} bytes", workspace,
           alignment);
    check_workspace_alone(plan.problem(), operands, workspace, plan.workspace_size());
  }
  plan.execute(operands, workspace, stream);
}

}  // namespace

extern "C" {

atc_status atc_conv_plan_workspace_size(uint64_t* out, const atc_conv_plan* plan) noexcept {
  return guard([&] { required(out, "out") = required(plan, "plan").plan().workspace_size(); });
}

atc_status atc_conv_plan_execute(atc_conv_plan* handle, const atc_tensor_view* x,
                                 const atc_tensor_view* w, const atc_tensor_view* bias,
                                 const atc_tensor_view* y, void* workspace, uint64_t workspace_size,
                                 atc_stream stream) noexcept {
  return guard([&] { execute(handle, {x, w, bias, y}, workspace, workspace_size, stream); });
}

atc_status atc_conv_plan_execute_v2(atc_conv_plan* handle, const atc_conv_operands* operands,
                                    void* workspace, uint64_t workspace_size,
                                    atc_stream stream) noexcept {
  return guard([&] { execute(handle, to_views(operands), workspace, workspace_size, stream); });
}

atc_status atc_conv_plan_set_weights(atc_conv_plan* handle, const atc_tensor_view* w) noexcept {
  return guard([&] {
    conv::Plan& plan = required(handle, "plan").plan();
    const atc_tensor_view& view = required(w, "w");
    if (handle->lease.from_cache())
      fail(Status::invalid_argument,
           "the plan belongs to the cache of plans, and its next user has other weights: create a "
           "plan of your own");
    if (plan.problem().direction == Direction::backward_weight)
      fail(Status::invalid_argument,
           "the plan is backward-weight, whose w is the output: it takes no constant weights");
    check_view(view, plan.problem().w, "w");
    check_device(view, plan.device(), "w");
    Operands operands;
    operands.w = address_of(view);
    check_alignment(plan.problem(), {nullptr, &view, nullptr, nullptr}, plan.alignment());
    plan.set_weights(operands.w);
  });
}

atc_status atc_conv_plan_sample(double* out, size_t count, atc_conv_plan* plan,
                                uint64_t seed) noexcept {
  return guard([&] {
    double& first = required(out, "out");
    const std::vector<double> values = conv::sample(required(plan, "plan").plan(), seed, count);
    std::copy(values.begin(), values.end(), &first);
  });
}

atc_status atc_conv_plan_choice(const char** out, const atc_conv_plan* plan) noexcept {
  return guard([&] { required(out, "out") = required(plan, "plan").plan().choice().c_str(); });
}

atc_status atc_conv_plan_source(int32_t* out, const atc_conv_plan* plan) noexcept {
  return guard([&] {
    required(out, "out") = static_cast<int32_t>(required(plan, "plan").plan().decision().source);
  });
}

atc_status atc_conv_plan_provisional(int32_t* out, double* risk,
                                     const atc_conv_plan* plan) noexcept {
  return guard([&] {
    required(out, "out");
    const conv::Decision& decision = required(plan, "plan").plan().decision();
    *out = decision.unstable ? 1 : 0;
    if (risk != nullptr) *risk = decision.unstable ? decision.risk : 0;
  });
}

atc_status atc_conv_plan_candidate_count(size_t* out, const atc_conv_plan* plan) noexcept {
  return guard(
      [&] { required(out, "out") = required(plan, "plan").plan().decision().candidates.size(); });
}

atc_status atc_conv_plan_candidate(atc_candidate* out, const atc_conv_plan* plan,
                                   size_t index) noexcept {
  return guard([&] { write_candidate(out, required(plan, "plan").plan().decision(), index); });
}

atc_status atc_conv_plan_own_run_begin(int32_t* timed, atc_conv_plan* plan,
                                       atc_stream stream) noexcept {
  return guard([&] {
    const bool is_timed = required(plan, "plan").plan().begin_own_run(stream);
    if (timed != nullptr) *timed = is_timed ? 1 : 0;
  });
}

atc_status atc_conv_plan_own_run_end(atc_conv_plan* plan, atc_stream stream) noexcept {
  return guard([&] { required(plan, "plan").plan().end_own_run(stream); });
}

}  // extern "C"
