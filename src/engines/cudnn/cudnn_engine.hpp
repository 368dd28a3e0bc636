// The engine `cudnn` uses NVIDIA's cuDNN 9 through cuDNN's backend interface. Its offers are the
// configurations that cuDNN's heuristics propose.
#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace atc {

std::unique_ptr<Engine> make_cudnn_engine();

}  // namespace atc
