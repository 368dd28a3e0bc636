// Explains why a decision chose its winner. It works from the stored standings of the candidates,
// so it also explains old records.
#pragma once

#include <cstdint>
#include <string>

#include "conv/decision.hpp"

namespace atc::conv {

// Values equal ATC_RULE_* in include/atc/explain.h.
enum class Rule : std::int32_t {
  first_offer = 1,  // nothing was measured: the first offer of the default engine
  alone = 2,        // no other candidate was timed
  fastest = 3,      // the choice is the default, and it has the shortest time
  faster = 4,       // the choice is faster than the default by more than the tie margin
  // The choice is the default: no candidate was shown to be faster by more than the tie margin.
  tie_default = 5,
  tie_kept = 6,     // the choice ties with the default, and its compiled form is kept for other
                    // processes
  tie_lighter = 7,  // the choice ties with a faster candidate, but compiles less or needs less
                    // workspace
  // Another candidate is faster on the device, but the host needs longer to issue it.
  host = 8,
  precise = 9,  // the choice is the fastest candidate with the precision that is asked for
};

// Returns the rule of a decision, and a sentence that states the rule with the figures of the
// candidates.
struct Ruling {
  Rule rule = Rule::first_offer;
  std::string why;
};

// Returns the rule of a decision, which must have a winner.
Ruling ruling_of(const Decision& decision);

}  // namespace atc::conv
