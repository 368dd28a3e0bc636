// Recognises weights that a program trains. Such weights must not be packed, because an optimizer
// may change them at any time. The version counter of a tensor does not show all changes:
// LibTorch's fused optimizers do not raise it.
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
