// NVIDIA's cuDNN 9, through its backend interface. Each configuration that cuDNN's heuristics
// propose is an offer.
#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace atc {

std::unique_ptr<Engine> make_cudnn_engine();

}  // namespace atc
