// Plans with packed weights, for weights that their owner has promised not to change.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

#include "atc/conv.h"
#include "options.hpp"
#include "statistics.hpp"

namespace atc_torch {

// Whether weights can be packed: they are on the CPU, they have a version counter that shows
// changes, and they are not being trained.
bool can_pack(const at::Tensor& w);

// Runs a forward convolution and sets `y`. Weights are packed when they are met unchanged for the
// second time; they are packed again if they (weights_state.hpp) or the choice have changed. If
// LibTorch's own convolution has to run, returns the reason and does not set `y`.
std::optional<Reason> run_packed(at::Tensor& y, const atc_conv_problem& problem,
                                 const Options& options, const at::Tensor& x, const at::Tensor& w,
                                 const at::Tensor* bias);

// Destroys the packed plans that no call is using, so that their engines can be unregistered.
void forget_packed_weights();

}  // namespace atc_torch
