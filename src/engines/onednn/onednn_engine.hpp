// oneDNN as an engine for the CPU. configuration.hpp describes its configurations.
#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace atc {

// The engine does not change the caller's OpenMP settings or oneDNN's global state.
std::unique_ptr<Engine> make_onednn_engine();

}  // namespace atc
