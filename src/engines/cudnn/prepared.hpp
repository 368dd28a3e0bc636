// Makes an executable object (Prepared) from a configuration of the engine `cudnn`.
#pragma once

#include <memory>
#include <string>

#include "engines/cudnn/configuration.hpp"
#include "engines/cudnn/session.hpp"
#include "engines/engine.hpp"

namespace atc::cudnn {

// Builds a plan (cuDNN's executable object) for the convolution `form`. The function objection()
// must have returned "" for `form`. If the configuration adds the bias by a separate kernel, `form`
// must have no bias. Throws Error(unsupported) in the same cases as prepare().
ExecutionPlan build_plan(Handle handle, const Problem& form, const Limits& limits,
                         const Configuration& configuration);

// Builds the plan in the session (the cuDNN handle) of the calling thread. If another thread
// executes the returned object, that thread builds a plan of its own at its first execution.
// `compiled` is a text that Prepared::compiled() returned, or "". Throws Error(unsupported) if a
// known fault or the limits forbid the configuration, or if this cuDNN does not know it or cannot
// build it.
std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits,
                                  const std::string& configuration, const std::string& compiled);

}  // namespace atc::cudnn
