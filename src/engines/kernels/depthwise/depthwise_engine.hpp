// Own CUDA kernels for convolutions with a group for each channel.
#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace atc {

std::unique_ptr<Engine> make_depthwise_engine();

}  // namespace atc
