// Sets a race up on its device: operands, gate, one contestant per candidate; and reads its result.
#pragma once

#include "conv/decision.hpp"
#include "conv/field.hpp"

namespace atc::conv {

// Runs the race of a field; decision.winner is empty when nothing ran. Races of several threads run
// one after the other: they would disturb each other's times.
Decision contest(const Problem& problem, const Request& request, Field field,
                 const tune::OnProgress& on_progress);

}  // namespace atc::conv
