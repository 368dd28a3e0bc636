// Recognises weights that a program trains. An optimizer may write to such weights at any time.
// LibTorch's fused optimizers write without raising the version counter, so the counter does not
// show these changes.
#pragma once

#include <ATen/core/Tensor.h>

namespace atc_torch {

// Called with the weights of each convolution. If the weights are on the CPU and need a gradient,
// their storage is remembered. Does nothing before the first call of is_trained.
void note_weights_in_use(const at::Tensor& w);

// Returns true if `w` needs a gradient, or if the storage of `w` was remembered by
// note_weights_in_use.
bool is_trained(const at::Tensor& w);

// Forgets all remembered storages. After that, weights count as trained only if they need a
// gradient at that time or later. atc_torch_forget_weights calls this function.
void forget_trained_weights();

}  // namespace atc_torch
