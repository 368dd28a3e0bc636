// The options of a race: its technique, its budget, its limits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

namespace atc::tune {

// The technique by which a race times contestants. The values are those of `atc_technique` in
// include/atc/settings.h. The first three are defined as in cuDNN's frontend (docs/tuning.md);
// `interleaved` is the default.
enum class Technique : std::int32_t {
  once = 1,
  median_of_three = 2,
  till_stable = 3,
  interleaved = 4,
  sustained = 5,
};

struct Options {
  Technique technique = Technique::interleaved;
  // The budget of the race in seconds: the time for preparing, checking and timing all contestants
  // together. Infinity: no limit.
  double budget_seconds = 2.0;
  // The budget, in seconds, that the race would usually have. If `budget_seconds` is less than this
  // (for example, because little time was left for a list of problems) and some candidates had no
  // turn, the result is marked as unstable.
  double usual_budget = 0;
  // The seconds of the budget that were spent before the race began.
  double spent_seconds = 0;
  // The largest number of contestants that take part: the default, and those of the others that
  // come first. 0: no limit.
  std::size_t max_candidates = 0;
  // The number of calls in which the decision is expected to be used. A contestant gets a turn only
  // if its expected saving in all these calls exceeds the cost of the turn (prospects.hpp).
  // Infinity: every contestant gets a turn from which a saving is expected, whatever the turn
  // costs.
  double expected_calls = std::numeric_limits<double>::infinity();
  // The shortest time, in seconds, that a call can take on this device according to the roofline
  // model. 0: not known.
  double least_seconds = 0;
  // Two contestants tie if their times differ by less than this (a fraction).
  double tie_margin = 0.01;
  std::uint64_t seed = 0;
  std::size_t operand_sets = 1;
  // The contestant that runs without tuning. It has the first turn, always takes part, and wins
  // ties.
  std::size_t default_index = 0;
  // The contestant that is expected to win, because it has won an earlier race. It has its turn
  // directly after the default, whether or not its turn is expected to pay. Empty: there is none.
  std::optional<std::size_t> favourite;
};

}  // namespace atc::tune
