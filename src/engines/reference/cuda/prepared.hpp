// The reference on a CUDA device, made ready to execute.
#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace atc::reference {

// Throws Error(library) in a build without device kernels.
std::unique_ptr<Prepared> prepare_on_device(const Problem& problem, const Limits& limits);
// Empty, or why the reference cannot run on CUDA devices.
const char* device_objection();

}  // namespace atc::reference
