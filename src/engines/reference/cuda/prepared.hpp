// The engine `reference` on a CUDA device, prepared for a problem.
#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace atc::reference {

// Throws Error(library) in a build without device kernels.
std::unique_ptr<Prepared> prepare_on_device(const Problem& problem, const Limits& limits);
// The reason why the reference cannot run on CUDA devices, or "".
const char* device_objection();

}  // namespace atc::reference
