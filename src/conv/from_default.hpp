// What runs where nothing was decided: the default engine's first choice that can be built.
#pragma once

#include <string>

#include "conv/lineup.hpp"
#include "conv/policy.hpp"

namespace atc::conv {

// Engines may list what later turns out not to build: then the next one. `raced`: a race that
// nobody has won, whose wrong results do not run because nothing else is left, or null.
Decided from_default(const Problem& problem, const Request& request, const Decision* raced);

// Throws Error(unsupported), or Error(library) where a library that is missing is why, with each
// engine's reason.
[[noreturn]] void fail_without_offers(const Problem& problem, DeviceId device,
                                      const Lineup& lineup);

}  // namespace atc::conv
