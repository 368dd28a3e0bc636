// Bias and relu as a pass of their own over the output of a convolution.
#pragma once

#include "core/problem.hpp"
#include "device/cuda/driver_api.hpp"

namespace atc {

// Whether a problem with an epilogue can be convolved without it and finished here: not without
// device kernels, and not where the old value and the bias would be added to a rounded sum in turn.
bool bias_can_be_apart(const Problem& problem);

// The problem that is left for the convolution.
Problem without_bias(Problem problem);

// output = [relu](output + bias), rounded once more. The output is dense, in any order.
void add_bias(const Problem& problem, void* output, const void* bias, cuda::Context context,
              Stream stream);

}  // namespace atc
