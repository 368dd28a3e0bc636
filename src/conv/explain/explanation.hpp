// Explains why a problem is computed by a certain choice. The explanation has the decision that is
// used, the rule by which the decision was made, and the answer of each engine and rewrite when it
// was asked for offers. For an engine or rewrite that was not asked, the explanation has the
// reason.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "conv/decide/rule.hpp"
#include "conv/decision.hpp"
#include "conv/options.hpp"
#include "conv/race/work.hpp"
#include "core/problem.hpp"

namespace atc::conv {

// A switch (a setting or an option) that excludes offers of engines. `offers` is the number of
// further offers that there would be if this switch excluded none and all other switches remained
// unchanged.
struct Barrier {
  std::string name;  // the name of the switch in settings and options
  std::size_t offers = 0;
};

// An engine or a rewrite that works on the device, and its answer when it was asked for offers.
struct EntrantAnswer {
  std::string name, version;
  bool rewrite = false;
  std::size_t offers = 0;
  std::string why_not;  // the reason why the engine or rewrite has no offers, or no further offers
  std::vector<Barrier> barriers;
};

struct Explanation {
  std::string description;  // a description of the problem, for people
  // The decision that a plan would have if nothing is measured. If no engine can run the problem,
  // the decision has no winner, and `why` has the reason.
  Decision decision;
  Ruling ruling;     // The ruling is valid if the decision has a winner.
  std::string miss;  // the reason why the store has no decision (Peeked::miss)
  std::vector<EntrantAnswer> entrants;
  Work work;
  Roof roof;  // the highest rates of the device, if they have been measured
};

// Explains a problem. Measures, builds and writes nothing. Each engine is asked for its offers
// several times: once with the request, and once more for each switch that may exclude offers.
// Throws Error(invalid_argument) if the batch is 0, and Error(busy) if called in a callback. Errors
// of the engines and of the options are passed on.
Explanation explain(const Problem& problem, DeviceId device, const PlanOptions& options);

}  // namespace atc::conv
