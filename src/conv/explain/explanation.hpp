// Explains why a problem is computed by a certain choice: the decision that is used, its rule, and
// for each engine and rewrite the answer to the question for offers, or the reason why it was not
// asked.
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

// A switch that excludes offers, and how many offers it excludes by itself.
struct Barrier {
  std::string name;  // the name of the switch in settings and options
  std::size_t offers = 0;
};

// An engine or a rewrite that works on the device, and its answer to the question for offers.
struct EntrantAnswer {
  std::string name, version;
  bool rewrite = false;
  std::size_t offers = 0;
  std::string why_not;  // the entrant's reason for offering nothing, or nothing more
  std::vector<Barrier> barriers;
};

struct Explanation {
  std::string description;  // of the problem
  // The decision of a plan that measures nothing. Its source is `record`, `memory`, `inherited`,
  // `default_engine` or `reference`. If no engine can run the problem, it has no winner and `why`
  // says so.
  Decision decision;
  Ruling ruling;     // where there is a winner
  std::string miss;  // the reason why the store has no decision (Peeked::miss)
  std::vector<EntrantAnswer> entrants;
  Work work;
  Roof roof;  // where it has been measured
};

// Explains a problem. Measures, builds and writes nothing. Asks each engine for its offers: once
// within the limits of the options, and then for each limit once without this limit. Throws
// Error(invalid_argument) if the batch is 0, and Error(busy) if called in a callback. Also throws
// what asking for offers and resolving options throw.
Explanation explain(const Problem& problem, DeviceId device, const PlanOptions& options);

}  // namespace atc::conv
