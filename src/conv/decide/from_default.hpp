// The choice that runs if there is no decision: the default engine's first choice that can be
// built.
#pragma once

#include <string>

#include "conv/decide/decided.hpp"
#include "conv/options.hpp"
#include "conv/race/lineup.hpp"

namespace atc::conv {

// A configuration that an engine offers may turn out not to build, or the correctness gate may
// refuse it. Then the next one is tried: first those of this engine, then those of the other
// default engines, and at last the reference.
Decided from_default(const Problem& problem, const Request& request);

// Throws Error(unsupported), with each engine's reason. If a missing library is the cause, throws
// Error(library).
[[noreturn]] void fail_without_offers(const Problem& problem, DeviceId device,
                                      const Lineup& lineup);

}  // namespace atc::conv
