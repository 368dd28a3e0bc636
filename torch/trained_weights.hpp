// Weights that a program trains. An optimizer may write to such weights at any time, and LibTorch's
// fused optimizers do so without raising the version counter.
#pragma once

#include <ATen/core/Tensor.h>

namespace atc_torch {

// Called with the weights of each convolution. Remembers the storage of weights on the CPU that
// need a gradient. Starts remembering at the first call of is_trained.
void note_weights_in_use(const at::Tensor& w);

// Whether `w` needs a gradient, or tensors in its storage needed one in a convolution that was
// noted.
bool is_trained(const at::Tensor& w);

// Forgets which weights needed a gradient so far. From then on only weights that need a gradient
// count as trained. atc_torch_forget_weights calls this.
void forget_trained_weights();

}  // namespace atc_torch
