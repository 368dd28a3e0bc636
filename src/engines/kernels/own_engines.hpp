// The engines whose kernels are written in this project.
#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace atc {

// The engine `dense`: convolutions with one group, channels first, in fp16 or bf16. Backward-weight
// and pointwise convolutions are also computed in TF32. Libraries transpose channels-first tensors
// before and after the convolution. The kernels of `dense` do not transpose tensors: these kernels
// read channels-first memory directly, with the tensor cores of compute capability 9.0a.
std::unique_ptr<Engine> make_dense_engine();

// The engine `depthwise`: convolutions in which each group has one channel.
std::unique_ptr<Engine> make_depthwise_engine();

// The engine `first`: convolutions with up to four input channels, as in the first layer of a
// network. In forward, a block keeps the filters in shared memory and iterates over tiles of all
// images.
std::unique_ptr<Engine> make_first_engine();

// The engine `grouped`: convolutions with several groups of several channels, on tensor cores.
// Blocks are persistent: in forward and backward-data, a block keeps the filters of its groups in
// shared memory and iterates over tiles of pixels.
std::unique_ptr<Engine> make_grouped_engine();

// The engine `implicit`: convolutions that libraries compute slowly, which are groups of several
// channels and first layers of up to four channels. The kernels compute an implicit GEMM, on tensor
// cores where the data type allows it: the matrix of the inputs is not written out, but read from
// the input in shared memory.
std::unique_ptr<Engine> make_implicit_engine();

}  // namespace atc
