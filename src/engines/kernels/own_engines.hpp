// The engines of own kernels.
#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace atc {

// Convolutions with one group, channels first, in half precision; and gradients of weights, also in
// TF32. Libraries transpose these tensors before and after the convolution. These kernels read
// channels-first memory directly, with the tensor cores of compute capability 9.0a.
std::unique_ptr<Engine> make_dense_engine();

// A group for each channel.
std::unique_ptr<Engine> make_depthwise_engine();

// First layers: up to four input channels. The filters are kept in shared memory while blocks
// iterate over the images.
std::unique_ptr<Engine> make_first_engine();

// Groups of several channels, on tensor cores. Blocks are persistent and iterate over the tiles of
// their groups.
std::unique_ptr<Engine> make_grouped_engine();

// Convolutions on which libraries are slow: groups of several channels, and first layers of up to
// four channels. The kernels are an implicit GEMM on tensor cores, through shared memory.
std::unique_ptr<Engine> make_implicit_engine();

}  // namespace atc
