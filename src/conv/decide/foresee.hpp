// Foresees which choices calls will run, as far as this can be known without any work: nothing is
// measured, checked, built or written.
#pragma once

#include <optional>

#include "conv/choice.hpp"
#include "conv/options.hpp"
#include "store/entry.hpp"

namespace atc::conv {

struct Foreseen {
  store::Key key;
  // The choice of eager calls (calls outside of a stream capture). Empty if a call would fail, or
  // if the batch of the problem is 0.
  std::optional<Choice> choice;
  std::optional<Choice> captured;  // the choice of captured calls, if it differs from `choice`
};

// Foresees the choices that calls with this request run if the calls measure nothing. The sources
// are those of decide(), in the same order: a pin, an agreement of the ranks of a distributed job,
// the store, the decisions of this process (unless tuning is off), the record of the nearest other
// size, a prediction, the default engine. A choice that the correctness gate is known to refuse is
// left out.
Foreseen foresee(const Problem& problem, const Request& asked);

}  // namespace atc::conv
