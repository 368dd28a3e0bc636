// Makes the decision for a problem about which nothing was measured or recorded: the first choice
// of the default engine that can be built.
#pragma once

#include <string>

#include "conv/decide/decided.hpp"
#include "conv/options.hpp"
#include "conv/race/lineup.hpp"

namespace atc::conv {

// Returns the first choice that can be built and that the correctness gate does not refuse. The
// choices of the first default engine are tried first, then those of the other default engines, and
// the reference last. If no choice can be used, throws Error(library) or Error(device) if a broken
// library or device is the cause, and Error(unsupported) otherwise.
Decided from_default(const Problem& problem, const Request& request);

// Throws Error(unsupported). The text of the error has the reason why each engine cannot run the
// problem. Throws Error(library) if a missing library is the cause.
[[noreturn]] void fail_without_offers(const Problem& problem, DeviceId device,
                                      const Lineup& lineup);

}  // namespace atc::conv
