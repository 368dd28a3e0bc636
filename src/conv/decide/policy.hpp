// The sources of a decision, in this order: a choice the caller gave; a pin of the file in use; a
// record of the store; with tuning, a decision measured in this process, then a race; without, the
// record of the nearest batch size; the default engine.
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

// Throws Error: unsupported, with each engine's reason; not_tuned in replay-only mode; cancelled if
// `on_progress` cancels. If no plan is wanted, it can be cancelled only before the decision was
// made; otherwise at any time, and the decision is discarded.
Decided decide(const Problem& problem, const Request& asked, const OnFraction& on_progress = {});

// The decision that is known for a problem without measuring, building or writing anything.
struct Peeked {
  // Of a record, of this process's memory, or of the nearest batch size.
  std::optional<Decision> decision;
  // If `decision` is empty: why the store had none, as a phrase for the log. "" without a store.
  std::string miss;
};
Peeked peek(const Problem& problem, const Request& asked);

// Decides for exactly this choice. Throws Error(unsupported) if it cannot be built; Error(library),
// Error(device) or Error(out_of_memory) if that is the cause.
Decided decide_given(const Problem& problem, const Request& request, const Choice& choice);

}  // namespace atc::conv
