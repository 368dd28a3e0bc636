// Makes an executable object (Prepared) from a configuration of the engine `cublaslt`.
#pragma once

#include <memory>
#include <string>

#include "engines/engine.hpp"

namespace atc::cublaslt {

// Throws Error(unsupported) if the problem is not a matrix product, if the limits forbid the
// configuration, or if this cuBLASLt cannot run the configuration on this device.
std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits,
                                  const std::string& configuration);

}  // namespace atc::cublaslt
