// What runs where nothing was decided: the default engine's first choice that can be built.
#pragma once

#include <string>

#include "conv/lineup.hpp"
#include "conv/policy.hpp"

namespace atc::conv {

// An engine may offer a configuration that turns out not to build: then the next one is tried.
// `raced`: the decision of a race without a winner, or null; candidates that it found wrong are not
// tried.
Decided from_default(const Problem& problem, const Request& request, const Decision* raced);

// Throws Error(unsupported), or Error(library) where a missing library is the cause, with each
// engine's reason.
[[noreturn]] void fail_without_offers(const Problem& problem, DeviceId device,
                                      const Lineup& lineup);

}  // namespace atc::conv
