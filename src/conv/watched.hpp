// A plan's decision with progress.
#pragma once

#include "conv/policy.hpp"
#include "conv/progress.hpp"

namespace atc::conv {

// As decide(), telling `on_progress`, which may be empty, of the one problem where it races. Throws
// Error(cancelled) when `on_progress` said so; nothing is kept then.
Decided decide_watched(const Problem& problem, const Request& request, const OnTuning& on_progress);

}  // namespace atc::conv
