// Bias and relu as a separate kernel that runs over the output of a convolution.
#pragma once

#include "core/problem.hpp"
#include "device/cuda/driver_api.hpp"

namespace atc {

// Whether the convolution may leave a problem's epilogue to add_bias. Returns false in a build
// without device kernels. Also returns false if the problem accumulates into 16 bits, because the
// sum would then be rounded once more before the bias is added.
bool bias_can_be_apart(const Problem& problem);

// The problem without its epilogue.
Problem without_bias(Problem problem);

// Computes output = output + bias, followed by a relu if the problem has one. This rounds the
// output once more. The output must be dense, with its dimensions in any order.
void add_bias(const Problem& problem, void* output, const void* bias, cuda::Context context,
              Stream stream);

}  // namespace atc
