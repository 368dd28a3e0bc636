// Plans with packed weights, for weights their owner promised to leave as they are.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

#include "atc/conv.h"
#include "options.hpp"

namespace atc_torch {

// A forward convolution on weights packed when they were seen first; packed anew when autograd's
// version counter says that they changed. Empty: LibTorch's own convolution is the choice.
std::optional<at::Tensor> run_packed(const atc_conv_problem& problem, const Options& options,
                                     const at::Tensor& x, const at::Tensor& w,
                                     const at::Tensor* bias);

void forget_packed_weights();

}  // namespace atc_torch
