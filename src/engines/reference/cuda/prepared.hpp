// Prepares a problem for the engine `reference` on a CUDA device.
#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace atc::reference {

// Returns an object that executes the problem. Throws Error(library) in a build without device
// kernels.
std::unique_ptr<Prepared> prepare_on_device(const Problem& problem, const Limits& limits);
// Returns why the reference engine cannot run on CUDA devices. Returns "" if it can.
const char* device_objection();

}  // namespace atc::reference
