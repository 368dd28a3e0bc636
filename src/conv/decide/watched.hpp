// Makes the decision for a plan, and reports the progress.
#pragma once

#include "conv/decide/decided.hpp"
#include "conv/options.hpp"
#include "conv/progress.hpp"

namespace atc::conv {

// Does the same as decide(), and reports the progress of a race to `on_progress`, which may be
// empty. Throws Error(cancelled) if `on_progress` cancels; then nothing is kept.
Decided decide_watched(const Problem& problem, const Request& request, const OnTuning& on_progress);

}  // namespace atc::conv
