// Runs the operations of a cuDNN graph on the host: a convolution in double, bias and ReLU. Then it
// falsifies the result if the test's script gives the engine a fault.
#pragma once

#include <map>

#include "fault/cudnn/node.hpp"
#include "fault/machine/script.hpp"

namespace atc::fault {

// The address of each tensor; the key is the tensor's id. All tensors are f32.
using Pointers = std::map<std::int64_t, float*>;

void convolve(const Node& graph, const Pointers& pointers, float* workspace, const Engine& engine);

}  // namespace atc::fault
