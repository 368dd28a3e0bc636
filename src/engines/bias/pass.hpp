// Bias and relu as a pass of their own over the output of a convolution.
#pragma once

#include "core/problem.hpp"
#include "device/cuda/driver_api.hpp"

namespace atc {

// Whether the convolution may leave a problem's epilogue to add_bias. False in a build without
// device kernels, and if accumulating into 16 bits would round the sum once more before the bias is
// added.
bool bias_can_be_apart(const Problem& problem);

// The problem without its epilogue.
Problem without_bias(Problem problem);

// output = [relu](output + bias), rounded once more. The output is dense, in any order.
void add_bias(const Problem& problem, void* output, const void* bias, cuda::Context context,
              Stream stream);

}  // namespace atc
