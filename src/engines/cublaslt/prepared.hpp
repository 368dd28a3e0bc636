// A configuration made ready to execute.
#pragma once

#include <memory>
#include <string>

#include "engines/engine.hpp"

namespace atc::cublaslt {

// Throws Error(unsupported) if the problem is not a product of matrices, the limits forbid the
// configuration, or this cuBLASLt cannot run it on this device.
std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits,
                                  const std::string& configuration);

}  // namespace atc::cublaslt
