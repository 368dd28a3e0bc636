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
  fastest = 3,      // the default, and the shortest time
  faster = 4,       // faster than the default, beyond the tie margin
  tie_default = 5,  // the default: none was shown to be faster beyond the tie margin
  tie_kept = 6,     // tied with the default, and its compiled form is kept for other processes
  tie_lighter = 7,  // tied with a faster one: compiles less, or takes less workspace
  host = 8,         // a faster one takes the host longer to issue
  precise = 9,      // the fastest one with the precision that is asked for
};

// Returns the rule of a decision, and a sentence that states the rule with the figures of the
// candidates.
struct Ruling {
  Rule rule = Rule::first_offer;
  std::string why;
};

// `decision` has a winner.
Ruling ruling_of(const Decision& decision);

}  // namespace atc::conv
