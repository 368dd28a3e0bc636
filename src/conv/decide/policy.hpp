// Makes decisions. The sources of a decision are tried in this order:
// 1. a choice that the caller gave;
// 2. a pin of the pin file in use;
// 3. what the ranks of a job have agreed on;
// 4. a record of the store;
// 5. with tuning: a decision that was measured in this process, then a race; without tuning: the
// record of the nearest size, then a prediction, if the request asks for predictions;
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

// Throws Error(unsupported), with each engine's reason; Error(not_tuned) in replay-only mode;
// Error(cancelled) if `on_progress` cancels. If no plan is wanted, the call can be cancelled only
// before the decision was made. Otherwise it can be cancelled at any time, and the decision is
// discarded.
Decided decide(const Problem& problem, const Request& asked, const OnFraction& on_progress = {});

// Finds the decision that is known for a problem, without measuring, building or writing anything.
struct Peeked {
  // The decision, from a record, from this process's memory, or from a record of a near size.
  std::optional<Decision> decision;
  // If `decision` is empty: the reason why the store had no decision, as a phrase for the log. ""
  // if there is no store.
  std::string miss;
};
Peeked peek(const Problem& problem, const Request& asked);

// The decision that this process knows and that answers the request without a race: a record, a
// decision that this process measured, or one that is held back. Measures, builds and writes
// nothing. Empty if a race would be needed.
std::optional<Decision> known_decision(const Problem& problem, const Request& asked);

// Makes the decision for a choice that the caller gave. Throws Error(unsupported) if the choice
// cannot be built. Throws Error(library), Error(device) or Error(out_of_memory) if one of these is
// the cause.
Decided decide_given(const Problem& problem, const Request& request, const Choice& choice);

}  // namespace atc::conv
