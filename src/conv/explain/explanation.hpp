// Why a problem runs as it runs: the decision in force, its rule, and the answer of each engine and
// rewrite that was asked for offers, or was not.
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

// A switch that leaves offers out, and how many it leaves out by itself.
struct Barrier {
  std::string name;  // the switch, as settings and options call it
  std::size_t offers = 0;
};

// An engine or a rewrite that works on the device.
struct EntrantAnswer {
  std::string name, version;
  bool rewrite = false;
  std::size_t offers = 0;
  std::string why_not;  // why it offers nothing, or no more, in its own words
  std::vector<Barrier> barriers;
};

struct Explanation {
  std::string description;  // of the problem
  // The decision of a plan that measures nothing. Its source is `record`, `memory`, `inherited`,
  // `default_engine` or `reference`. If no engine can run the problem, it has no winner and `why`
  // says so.
  Decision decision;
  Ruling ruling;     // where there is a winner
  std::string miss;  // why the store has no decision (Peeked::miss)
  std::vector<EntrantAnswer> entrants;
  Work work;
  Roof roof;  // where it has been measured
};

// Measures, builds and writes nothing, but asks each engine for its offers, within the limits of
// the options and without one limit after the other. Throws Error(invalid_argument) for a batch of
// 0, Error(busy) in a callback, else what asking for offers and resolving options throws.
Explanation explain(const Problem& problem, DeviceId device, const PlanOptions& options);

}  // namespace atc::conv
