// The choice that runs without a decision: the default engine's first one that can be built.
#pragma once

#include <string>

#include "conv/decide/decided.hpp"
#include "conv/options.hpp"
#include "conv/race/lineup.hpp"

namespace atc::conv {

// An engine may offer a configuration that turns out not to build, or that the correctness gate
// refuses: then the next one is tried, of this engine, of the other default engines, and at last
// the reference.
Decided from_default(const Problem& problem, const Request& request);

// Throws Error(unsupported), or Error(library) where a missing library is the cause, with each
// engine's reason.
[[noreturn]] void fail_without_offers(const Problem& problem, DeviceId device,
                                      const Lineup& lineup);

}  // namespace atc::conv
