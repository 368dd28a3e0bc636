// Runs plans with packed weights (weights that an engine has copied to a layout of its own). This
// is done if the option constant_weights is on: the user then promises that the weights remain the
// same.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

#include "atc/conv.h"
#include "options.hpp"
#include "statistics.hpp"

namespace atc_torch {

// Returns whether the weights may be packed. They must be on the CPU, have a version counter (which
// shows changes), and not be trained by the program.
bool can_pack(const at::Tensor& w);

// Runs a forward convolution and sets `y`. Weights are packed at their second use if they have not
// changed since the first. They are packed again if the weights (weights_state.hpp) or the choice
// have changed. If LibTorch's own convolution has to run, returns the reason and does not set `y`.
std::optional<Reason> run_packed(at::Tensor& y, const atc_conv_problem& problem,
                                 const Options& options, const at::Tensor& x, const at::Tensor& w,
                                 const at::Tensor* bias);

// Destroys the packed plans that no call is using. After that the engines of these plans can be
// unregistered.
void forget_packed_weights();

}  // namespace atc_torch
