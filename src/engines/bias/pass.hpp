// A kernel that adds the bias and applies the ReLU to the output of a convolution, after the
// convolution.
#pragma once

#include "core/problem.hpp"
#include "device/cuda/driver_api.hpp"

namespace atc {

// Whether the problem's epilogue (bias, or bias and ReLU) may be computed by add_bias after the
// convolution. Returns false in a build without device kernels, if the output has gaps in memory,
// and if the problem accumulates into an output of 16 bits: in that case the sum would be rounded a
// second time before the bias is added.
bool bias_can_be_apart(const Problem& problem);

// Returns the problem without its epilogue.
Problem without_bias(Problem problem);

// Computes output = output + bias, followed by a ReLU if the problem has one. This rounds the
// output a second time, after the rounding by the convolution. The output must have no gaps in
// memory; the order of its dimensions does not matter.
void add_bias(const Problem& problem, void* output, const void* bias, cuda::Context context,
              Stream stream);

}  // namespace atc
