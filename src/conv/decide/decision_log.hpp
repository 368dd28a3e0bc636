// Writes a line to the log for each decision.
#pragma once

#include "conv/decision.hpp"
#include "conv/options.hpp"
#include "core/problem.hpp"

namespace atc::conv {

// Logs one line at level info with the event "decision". `seconds` is the time that this decision
// took, including its race if there was one. The line also has the times of the choice and of the
// default. Both times were measured in the race that made the decision.
void log_decision(const Problem& problem, const Request& request, const Decision& decision,
                  double seconds) noexcept;

}  // namespace atc::conv
