// Own kernels for dense convolutions in channels first, on GPUs of compute capability 9.0.
#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace atc {

std::unique_ptr<Engine> make_dense_engine();

}  // namespace atc
