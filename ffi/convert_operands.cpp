#include "convert_operands.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "convert.hpp"
#include "core/error.hpp"
#include "core/overlap.hpp"
#include "guard.hpp"

namespace atc::ffi {

const Tensor& caller_x(const Problem& problem) {
  return problem.from_transposed ? problem.y : problem.x;
}
const Tensor& caller_y(const Problem& problem) {
  return problem.from_transposed ? problem.x : problem.y;
}

void check_device(const atc_tensor_view& view, DeviceId device, const char* name) {
  const DeviceId given = to_device(view.device);
  if (given == device) return;
  fail(Status::invalid_argument, "{}.device is {}, the plan's is {}", name, name_of(given),
       name_of(device));
}

namespace {

struct Named {
  const char* name;  // the caller's name of the operand, such as "x"
  const Tensor& tensor;
  const void* data;
};

void check_bias(const Problem& problem, const Views& views, DeviceId device) {
  if (problem.epilogue == Epilogue::none) {
    if (views.bias != nullptr)
      fail(Status::invalid_argument,
           "bias is given, but the problem has no epilogue: leave it out");
    return;
  }
  const atc_tensor_view& bias = required(views.bias, "bias");
  check_view(bias, problem.bias(), "bias");
  check_device(bias, device, "bias");
}

// Checks an operand of the post-ops: `name` is "scale" or "residual". `exists` is true
// if the problem has this operand. If the problem does not have it, `view` must be NULL.
void check_of_post_ops(const atc_tensor_view* view, bool exists, const Tensor& expected,
                       DeviceId device, const char* name) {
  if (!exists) {
    if (view != nullptr)
      fail(Status::invalid_argument, "{} is given, but problem.{} is 0: leave it out, or set 1",
           name, name);
    return;
  }
  if (view == nullptr)
    fail(Status::invalid_argument, "{} is missing, but problem.{} is 1: pass this tensor, too",
         name, name);
  check_view(*view, expected, name);
  check_device(*view, device, name);
}

}  // namespace

Views to_views(const atc_conv_operands* given) {
  const auto known = read_struct(given, "operands");
  if (known.reserved != 0)
    fail(Status::invalid_argument, "operands.reserved is {}: use 0", known.reserved);
  return {known.x, known.w, known.bias, known.y, known.scale, known.residual};
}

Operands check_operands(const Problem& problem, const Views& views, DeviceId device,
                        bool weights_known) {
  const atc_tensor_view& x = required(views.x, "x");
  const atc_tensor_view& y = required(views.y, "y");
  check_view(x, caller_x(problem), "x");
  check_device(x, device, "x");
  check_view(y, caller_y(problem), "y");
  check_device(y, device, "y");
  Operands operands;
  if (views.w != nullptr || !weights_known) {
    const atc_tensor_view& w = required(views.w, "w");
    check_view(w, problem.w, "w");
    check_device(w, device, "w");
    operands.w = address_of(w);
  }
  check_bias(problem, views, device);
  const PostOps& post_ops = problem.post_ops;
  check_of_post_ops(views.scale, post_ops.scale, problem.scale(), device, "scale");
  check_of_post_ops(views.residual, post_ops.residual, problem.residual(), device, "residual");
  operands.x = address_of(x);
  operands.y = address_of(y);
  if (problem.from_transposed) std::swap(operands.x, operands.y);
  if (views.bias != nullptr) operands.bias = address_of(*views.bias);
  if (views.scale != nullptr) operands.scale = address_of(*views.scale);
  if (views.residual != nullptr) operands.residual = address_of(*views.residual);
  check_output_alone(problem, operands);
  return operands;
}

void check_output_alone(const Problem& problem, const Operands& operands) {
  const Tensor& output = problem.output();
  const void* const data = output_of(problem, operands);
  const Tensor bias = operands.bias == nullptr ? Tensor{} : problem.bias();
  const Tensor scale = problem.scale(), residual = problem.residual();
  const bool swapped = problem.from_transposed;
  const Named named[] = {{swapped ? "y" : "x", problem.x, operands.x},
                         {"w", problem.w, operands.w},
                         {swapped ? "x" : "y", problem.y, operands.y},
                         {"bias", bias, operands.bias},
                         {"scale", scale, operands.scale},
                         {"residual", residual, operands.residual}};
  for (const Named& input : named)
    if (&input.tensor != &output && input.data != nullptr &&
        share_memory(output, data, input.tensor, input.data))
      fail(Status::invalid_argument,
           "{} shares memory with the output: pass an output with memory of its own", input.name);
}

void check_workspace_alone(const Problem& problem, const Operands& operands, const void* workspace,
                           std::uint64_t workspace_size) {
  Tensor words;
  words.dtype = Dtype::f16;
  words.rank = 1;
  words.shape[0] = static_cast<std::int64_t>(workspace_size / size_of(words.dtype));
  words.strides[0] = 1;
  if (share_memory(problem.output(), output_of(problem, operands), words, workspace))
    fail(Status::invalid_argument,
         "workspace shares memory with the output: pass a workspace with memory of its own");
}

std::size_t alignment_of(const Operands& operands) {
  const auto bits = reinterpret_cast<std::uintptr_t>(operands.x) |
                    reinterpret_cast<std::uintptr_t>(operands.w) |
                    reinterpret_cast<std::uintptr_t>(operands.y) |
                    reinterpret_cast<std::uintptr_t>(operands.residual) | 16;
  return bits & (~bits + 1);
}

void check_alignment(const Problem& problem, const Views& views, std::size_t alignment) {
  // With a batch of 0 no engine reads the operands, so their alignment does not matter.
  if (problem.batch() == 0) return;
  for (const auto& [view, name] :
       {std::pair{views.x, "x"}, std::pair{views.w, "w"}, std::pair{views.y, "y"},
        std::pair{views.residual, "residual"}}) {
    if (view == nullptr) continue;
    const auto address = reinterpret_cast<std::uintptr_t>(address_of(*view));
    if (address % alignment != 0)
      fail(Status::invalid_argument,
           "{} starts at address {:#x}, which is no multiple of {}, the plan's options.alignment "
           "(by default 16 on CUDA): align the tensor, or create the plan with "
           "options.alignment {}",
           name, address, alignment, address & (~address + 1));
  }
}

}  // namespace atc::ffi
