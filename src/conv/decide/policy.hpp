// Makes decisions. The following sources are tried in this order:
// 1. a choice that the caller gave;
// 2. a pin of the pin file in use;
// 3. a decision on which the ranks of a distributed job have agreed;
// 4. a record of the store;
// 5. if the request tunes: a decision that this process has measured, then a race;
//   if the request does not tune: a decision that this process has measured (unless tuning is off),
//   a record of other versions (if the request allows it), the record of the nearest size, then (if
//   the request asks for predictions) a prediction;
// 6. the default engine.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "conv/choice.hpp"
#include "conv/decide/decided.hpp"
#include "conv/decision.hpp"
#include "conv/options.hpp"
#include "conv/progress.hpp"

namespace atc::conv {

// Makes the decision and, if the request wants a plan, builds the choice. Throws
// Error(unsupported), with the reason of each engine, if nothing can run the problem. Throws
// Error(not_tuned) if the store is replay-only and has no usable record. Throws Error(cancelled) if
// `on_progress` cancels; then the decision is discarded. If no plan is wanted, `on_progress` can
// cancel only before the decision is made.
Decided decide(const Problem& problem, const Request& asked, const OnFraction& on_progress = {});

// The decision that is known for a problem. peek() measures, builds and writes nothing.
struct Peeked {
  // The known decision: from a record of the store, from an agreement of the ranks, from this
  // process's memory, from a record of other versions, or from a record of a near size.
  std::optional<Decision> decision;
  // If `decision` is empty: the reason why there is no decision, as a phrase for the log. "" if
  // there is no store.
  std::string miss;
};
Peeked peek(const Problem& problem, const Request& asked);

// Returns the decision that decide() would use without a race for a request that tunes: a record, a
// decision that this process has measured, or a decision that it has measured for all ranks of a
// job and that is held back until they agree. Measures, builds and writes nothing. Returns nothing
// if a race would be needed.
std::optional<Decision> known_decision(const Problem& problem, const Request& asked);

// Makes the decision for a choice that the caller gave. Throws Error(unsupported) if the choice
// cannot be built or the correctness gate refuses it. Throws Error(library), Error(device) or
// Error(out_of_memory) if a library, the device or a lack of memory is the cause.
Decided decide_given(const Problem& problem, const Request& request, const Choice& choice);

}  // namespace atc::conv
