// Own kernels for convolutions with one group, channels first, in half precision, and for gradients
// of weights in TF32 as well. Libraries transpose the tensors before and after; these kernels feed
// the tensor cores of compute capability 9.0a from channels-first memory.
#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace atc {

std::unique_ptr<Engine> make_dense_engine();

}  // namespace atc
