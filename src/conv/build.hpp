// A configuration made ready, and held to what the caller allows.
#pragma once

#include <memory>
#include <string>

#include "conv/options.hpp"
#include "engines/engine.hpp"

namespace atc::conv {

// `compiled` is what Prepared::compiled gave for exactly this, or "". Throws Error(unsupported)
// when it needs more workspace than the limits allow; else what prepare throws.
std::unique_ptr<Prepared> build(const Engine& engine, const Problem& problem, const Limits& limits,
                                const std::string& configuration, const std::string& compiled = "");

// The same for a plan: a configuration that leaves its result in a buffer of its engine's own takes
// part in races, but only the engine's own front end could see its output.
std::unique_ptr<Prepared> build_for_plan(const Engine& engine, const Problem& problem,
                                         const Request& request, const std::string& configuration,
                                         const std::string& compiled = "");

}  // namespace atc::conv
