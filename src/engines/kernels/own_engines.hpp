// The engines of own kernels.
#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace atc {

// Convolutions with one group, channels first, in half precision, and gradients of weights in TF32
// as well. Libraries transpose the tensors before and after; these kernels feed the tensor cores of
// compute capability 9.0a from channels-first memory.
std::unique_ptr<Engine> make_dense_engine();

// A group for each channel.
std::unique_ptr<Engine> make_depthwise_engine();

// First layers: up to four input channels. The filters remain in shared memory while blocks iterate
// over the images.
std::unique_ptr<Engine> make_first_engine();

// Groups of several channels, on tensor cores. Blocks are persistent and iterate over the tiles of
// their groups.
std::unique_ptr<Engine> make_grouped_engine();

// Convolutions on which libraries are slow: groups of several channels, and first layers of up to
// four channels. An implicit GEMM on tensor cores, by way of shared memory.
std::unique_ptr<Engine> make_implicit_engine();

}  // namespace atc
