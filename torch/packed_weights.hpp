// Plans with packed weights, for weights their owner promised to leave as they are.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

#include "atc/conv.h"
#include "options.hpp"
#include "statistics.hpp"

namespace atc_torch {

// On the CPU, of tensors that tell whether they changed.
bool can_pack(const at::Tensor& w);

// A forward convolution on weights that are packed when they are met a second time as they were,
// and packed anew when autograd's version counter says that they changed or when the choice has.
// Where LibTorch's own convolution is to run: why, and `y` is left as it is.
std::optional<Reason> run_packed(at::Tensor& y, const atc_conv_problem& problem,
                                 const Options& options, const at::Tensor& x, const at::Tensor& w,
                                 const at::Tensor* bias);

// And lets go of the engines they were packed for.
void forget_packed_weights();

}  // namespace atc_torch
