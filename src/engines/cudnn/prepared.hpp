// A configuration made ready to execute.
#pragma once

#include <memory>
#include <string>

#include "engines/cudnn/configuration.hpp"
#include "engines/cudnn/session.hpp"
#include "engines/engine.hpp"

namespace atc::cudnn {

// Builds the plan of the graph that computes `form`, for which `objection` must have returned "".
// The bias is left out if the configuration adds it by a separate kernel. Throws Error(unsupported)
// like prepare.
ExecutionPlan build_plan(Handle handle, const Problem& form, const Limits& limits,
                         const Configuration& configuration);

// Builds the plan in the calling thread's session. Each other thread builds its own plan at its
// first execution. `compiled` is a result of Prepared::compiled, or "". Throws Error(unsupported)
// for a problem that cuDNN would compute wrongly, for a configuration that this cuDNN does not know
// or cannot build, and for one whose notes the limits forbid.
std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits,
                                  const std::string& configuration, const std::string& compiled);

}  // namespace atc::cudnn
