// The sources of a decision, in this order: a choice the caller gave; a record of the store; with
// tuning, a decision measured in this process, then a race; without, the record of the nearest
// batch size; the default engine.
#pragma once

#include <memory>

#include "conv/chain.hpp"
#include "conv/choice.hpp"
#include "conv/decision.hpp"
#include "conv/options.hpp"
#include "engines/engine.hpp"
#include "tune/race.hpp"

namespace atc::conv {

struct Decided {
  std::shared_ptr<const Decision> decision;
  Chain chain;
  std::unique_ptr<Prepared> prepared;  // null where the request wants no plan
};

// Throws Error: unsupported with each engine's reason, not_tuned in replay-only mode, cancelled
// when `on_progress` said so before anything was decided.
Decided decide(const Problem& problem, const Request& asked,
               const tune::OnProgress& on_progress = {});

// Decides for exactly this choice. Throws Error(unsupported) where it cannot be built,
// Error(library), Error(device) or Error(out_of_memory) where that is the cause.
Decided decide_given(const Problem& problem, const Request& request, const Choice& choice);

}  // namespace atc::conv
