// Turns the tensor views of a call into the operands of a plan, and refuses views that do not fit
// the plan.
#pragma once

#include <cstddef>
#include <cstdint>

#include "atc/conv.h"
#include "core/device_type.hpp"
#include "core/problem.hpp"

namespace atc::ffi {

// The caller's x and y: in a Problem made from a transposed one the two are exchanged.
const Tensor& caller_x(const Problem& problem);
const Tensor& caller_y(const Problem& problem);

struct Views {
  const atc_tensor_view *x, *w, *bias, *y;
};

// Each throws Error(invalid_argument) naming the operand and what is wrong with it.
void check_device(const atc_tensor_view& view, DeviceId device, const char* name);
Operands check_operands(const Problem& problem, const Views& views, DeviceId device,
                        bool weights_known);
// Requires that neither an input nor the workspace (of which the plan uses `workspace_size` bytes)
// shares memory with the output.
void check_output_alone(const Problem& problem, const Operands& operands);
void check_workspace_alone(const Problem& problem, const Operands& operands, const void* workspace,
                           std::uint64_t workspace_size);
// Views may be null.
void check_alignment(const Problem& problem, const Views& views, std::size_t alignment);

// The largest power of two, up to 16, that divides every address: engines rely on no more.
std::size_t alignment_of(const Operands& operands);

}  // namespace atc::ffi
