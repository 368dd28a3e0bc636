// The line of the log about a decision.
#pragma once

#include "conv/decision.hpp"
#include "conv/options.hpp"
#include "core/problem.hpp"

namespace atc::conv {

// Logs one line at level info, whose event is "decision". `seconds`: the time of this decision,
// with its race if there was one. The times of a choice are those of its race.
void log_decision(const Problem& problem, const Request& request, const Decision& decision,
                  double seconds) noexcept;

}  // namespace atc::conv
