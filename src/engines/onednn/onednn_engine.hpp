// oneDNN as an engine for the CPU. What it races and how a configuration is written:
// configuration.hpp.
#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace atc {

// Leaves the caller's OpenMP settings and oneDNN's global state alone.
std::unique_ptr<Engine> make_onednn_engine();

}  // namespace atc
