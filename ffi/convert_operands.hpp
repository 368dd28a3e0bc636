// Between the tensor views of a call and the operands of a plan: everything a view can get wrong is
// refused here.
#pragma once

#include <cstddef>

#include "atc/conv.h"
#include "core/device_type.hpp"
#include "core/problem.hpp"

namespace atc::ffi {

// The tensors of a call in the caller's words: a transposed problem speaks of x and y the other way
// round.
const Tensor& caller_x(const Problem& problem);
const Tensor& caller_y(const Problem& problem);

struct Views {
  const atc_tensor_view *x, *w, *bias, *y;
};

// Each throws Error(invalid_argument) naming the operand and what is wrong with it.
void check_device(const atc_tensor_view& view, DeviceId device, const char* name);
Operands check_operands(const Problem& problem, const Views& views, DeviceId device,
                        bool weights_known);
void check_promise(const Operands& operands, std::size_t promised);

// The largest power of two, up to 64, that divides every address.
std::size_t alignment_of(const Operands& operands);

}  // namespace atc::ffi
