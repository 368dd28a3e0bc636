// NVIDIA's cuDNN 9 by its backend interface: what its heuristics propose, each configuration an
// offer.
#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace atc {

std::unique_ptr<Engine> make_cudnn_engine();

}  // namespace atc
