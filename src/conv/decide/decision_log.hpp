// Writes the line of the log about a decision.
#pragma once

#include "conv/decision.hpp"
#include "conv/options.hpp"
#include "core/problem.hpp"

namespace atc::conv {

// Logs one line at level info with the event "decision". `seconds` is the time that this decision
// took, with its race if there was one. The times of the choice and the default are those of the
// race that decided.
void log_decision(const Problem& problem, const Request& request, const Decision& decision,
                  double seconds) noexcept;

}  // namespace atc::conv
