// Turns the tensor views of a call into the operands of a plan, and refuses views that do not fit
// the plan.
#pragma once

#include <cstddef>
#include <cstdint>

#include "atc/conv.h"
#include "core/device_type.hpp"
#include "core/problem.hpp"

namespace atc::ffi {

// Return the tensors that the caller calls x and y. In a Problem that was made from a transposed
// one, the two are exchanged.
const Tensor& caller_x(const Problem& problem);
const Tensor& caller_y(const Problem& problem);

struct Views {
  const atc_tensor_view *x, *w, *bias, *y;
  const atc_tensor_view *scale = nullptr, *residual = nullptr;
};

// The views in a caller's struct.
Views to_views(const atc_conv_operands* given);

// Each function throws Error(invalid_argument) with the operand and its fault in the text.
void check_device(const atc_tensor_view& view, DeviceId device, const char* name);
Operands check_operands(const Problem& problem, const Views& views, DeviceId device,
                        bool weights_known);
// The first function requires that no input shares memory with the output. The second one requires
// the same of the workspace, of which the plan uses `workspace_size` bytes.
void check_output_alone(const Problem& problem, const Operands& operands);
void check_workspace_alone(const Problem& problem, const Operands& operands, const void* workspace,
                           std::uint64_t workspace_size);
// Views may be null.
void check_alignment(const Problem& problem, const Views& views, std::size_t alignment);

// Returns the largest power of two, up to 16, that divides every address. Engines do not rely on
// more.
std::size_t alignment_of(const Operands& operands);

}  // namespace atc::ffi
