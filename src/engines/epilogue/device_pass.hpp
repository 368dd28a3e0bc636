// A kernel that applies bias and post-ops (scale, residual and activation) to the output of a
// convolution on a CUDA device, after the convolution.
#pragma once

#include <string>

#include "core/problem.hpp"
#include "device/cuda/driver_api.hpp"

namespace atc {

// Returns why the kernel cannot be used for the output of the problem: the build has no device
// kernels, or the output has gaps in memory. Returns "" if the kernel can be used.
std::string device_pass_objection(const Problem& problem);

// Whether the problem has a bias (or a bias and a ReLU) and no further post-ops, and the kernel may
// add the bias after the convolution. Returns false if there is a device_pass_objection(), and if
// the problem accumulates into an output of 16 bits: in that case the sum would be rounded a second
// time before the bias is added.
bool bias_can_be_apart(const Problem& problem);

// Returns the problem without its epilogue.
inline Problem without_bias(Problem problem) {
  problem.epilogue = Epilogue::none;
  return problem;
}

// Replaces each element of the output by activation(scale * element + bias + residual), computed in
// fp32 and rounded once to the output's dtype. This is a second rounding, after that of the
// convolution. If `with_bias` is false, the bias is not added, because the output already contains
// it. The output must have no gaps in memory; the order of its dimensions does not matter. The CUDA
// context must be current.
void apply_post_ops_on_device(const Problem& problem, const Operands& operands, bool with_bias,
                              cuda::Context context, Stream stream);
// Makes the context of the device current, and then does the same.
void apply_post_ops_on_device(const Problem& problem, const Operands& operands, bool with_bias,
                              int device, Stream stream);

}  // namespace atc
