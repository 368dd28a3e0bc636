// Turns the tensor views of a call into the operands of a plan, and refuses views that do not fit
// the plan.
#pragma once

#include <cstddef>
#include <cstdint>

#include "atc/conv.h"
#include "core/device_type.hpp"
#include "core/problem.hpp"

namespace atc::ffi {

// Each function returns the tensor that the caller calls x or y. If the Problem was made from a
// transposed convolution, the caller's x is the Problem's y, and the caller's y is the Problem's x.
const Tensor& caller_x(const Problem& problem);
const Tensor& caller_y(const Problem& problem);

struct Views {
  const atc_tensor_view *x, *w, *bias, *y;
  const atc_tensor_view *scale = nullptr, *residual = nullptr;
};

// Returns the views in a caller's struct. Throws Error(invalid_argument) if the struct is not
// valid.
Views to_views(const atc_conv_operands* given);

// Each function with the name check_... throws Error(invalid_argument) if an operand is not valid.
// The text of the error names the operand and the fault.
void check_device(const atc_tensor_view& view, DeviceId device, const char* name);
Operands check_operands(const Problem& problem, const Views& views, DeviceId device,
                        bool weights_known);
// check_output_alone requires that no input shares memory with the output. check_workspace_alone
// requires that the output shares no memory with the first `workspace_size` bytes of the workspace,
// which the plan uses.
void check_output_alone(const Problem& problem, const Operands& operands);
void check_workspace_alone(const Problem& problem, const Operands& operands, const void* workspace,
                           std::uint64_t workspace_size);
// Requires that the addresses of x, w and y are multiples of `alignment` bytes. A view that is null
// is not checked.
void check_alignment(const Problem& problem, const Views& views, std::size_t alignment);

// Returns the largest power of two, up to 16 bytes, that divides the address of each operand. No
// engine relies on a larger alignment.
std::size_t alignment_of(const Operands& operands);

}  // namespace atc::ffi
