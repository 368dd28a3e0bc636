// oneDNN as an engine for the CPU. configuration.hpp describes its configurations.
#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace atc {

// Leaves the caller's OpenMP settings and oneDNN's global state alone.
std::unique_ptr<Engine> make_onednn_engine();

}  // namespace atc
