// Makes the decision for a plan, and reports the progress of its race to the caller.
#pragma once

#include "conv/decide/decided.hpp"
#include "conv/options.hpp"
#include "conv/progress.hpp"

namespace atc::conv {

// Calls decide(), and reports the progress of its race, if there is one, to `on_progress`, which
// may be empty. If `on_progress` cancels, Error(cancelled) is thrown, and no decision is kept.
Decided decide_watched(const Problem& problem, const Request& request, const OnTuning& on_progress);

}  // namespace atc::conv
