// Own kernels for convolutions of one group channels first, in half precision, gradients of weights
// in TF32 as well, for which libraries transpose tensors before and after: the tensor cores of
// compute capability 9.0a, fed from channels-first memory.
#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace atc {

std::unique_ptr<Engine> make_dense_engine();

}  // namespace atc
