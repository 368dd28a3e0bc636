// The engine `onednn` uses oneDNN on the CPU. configuration.hpp describes its configurations.
#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace atc {

// Returns the engine. The engine changes neither the OpenMP settings of the caller nor the global
// state of oneDNN.
std::unique_ptr<Engine> make_onednn_engine();

}  // namespace atc
