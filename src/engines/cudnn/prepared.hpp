// A configuration made ready to execute.
#pragma once

#include <memory>
#include <string>

#include "engines/engine.hpp"

namespace atc::cudnn {

// Builds the plan in the calling thread's session; throws what that throws. Other threads build
// their own when they execute.
std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits,
                                  const std::string& configuration);

}  // namespace atc::cudnn
