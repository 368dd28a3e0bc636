// Explains why a decision has its winner. The explanation is made from the stored results of the
// candidates, so old records can be explained, too.
#pragma once

#include <cstdint>
#include <string>

#include "conv/decision.hpp"

namespace atc::conv {

// The rule by which a winner was chosen. The values equal ATC_RULE_* in include/atc/explain.h.
enum class Rule : std::int32_t {
  first_offer = 1,  // nothing was measured; the choice is the first offer of the default engine
  alone = 2,        // the choice was the only candidate that was timed
  fastest = 3,      // the choice is the default, and no candidate has a shorter time
  faster = 4,       // the choice is faster than the default by more than the tie margin
  // The choice is the default, because no candidate was faster by more than the tie margin.
  tie_default = 5,
  // The choice ties with the default and was preferred, because its compiled form is stored for
  // other processes.
  tie_kept = 6,
  // The choice ties with a faster candidate and was preferred, because it compiles less or needs
  // less workspace.
  tie_lighter = 7,
  // Another candidate is faster on the device than the choice. It was not chosen, because the host
  // needs more time to issue it than to issue the choice.
  host = 8,
  precise = 9,  // the choice is the fastest candidate that has the requested precision
};

// The rule of a decision, and a sentence that states the rule with the figures of the candidates.
struct Ruling {
  Rule rule = Rule::first_offer;
  std::string why;
};

// Returns the rule by which a decision was made, and a sentence that states the rule. The decision
// must have a winner.
Ruling ruling_of(const Decision& decision);

}  // namespace atc::conv
