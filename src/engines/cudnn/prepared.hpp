// A configuration made ready to execute.
#pragma once

#include <memory>
#include <string>

#include "engines/cudnn/configuration.hpp"
#include "engines/cudnn/session.hpp"
#include "engines/engine.hpp"

namespace atc::cudnn {

// Throws Error(unsupported) for a configuration that this cuDNN does not know or cannot build, or
// whose notes the limits forbid.
ExecutionPlan build_plan(Handle handle, const Problem& whole, const Limits& limits,
                         const Configuration& configuration);

// Builds the plan in the calling thread's session; throws what build_plan throws. Each other thread
// builds one of its own at its first execution. `compiled` is a result of Prepared::compiled, or
// "".
std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits,
                                  const std::string& configuration, const std::string& compiled);

}  // namespace atc::cudnn
