// The options of a race: its technique, its budget, its limits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace atc::tune {

// The technique by which a race times contestants. The values equal `atc_technique` in
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
  double budget_seconds = 2.0;  // seconds for prepare, check and timing together; infinity: no
                                // budget
  // The usual budget in seconds. If `budget_seconds` is less and candidates had no turn, the result
  // is marked as unstable.
  double usual_budget = 0;
  double spent_seconds = 0;        // the part of the budget that was spent before the race began
  std::size_t max_candidates = 0;  // only the default and the first of the others take part; 0: all
  // The number of calls in which the decision is expected to be used. A contestant gets a turn only
  // if its expected saving in all these calls exceeds the cost of the turn (prospects.hpp). If the
  // number is infinity, the cost does not matter.
  double expected_calls = std::numeric_limits<double>::infinity();
  double least_seconds = 0;  // a bound of the roofline model: no contestant can be faster; 0: not
                             // known
  double tie_margin = 0.01;  // relative
  std::uint64_t seed = 0;
  std::size_t operand_sets = 1;
  // The contestant that runs without tuning: it comes first, always takes part, and wins ties.
  std::size_t default_index = 0;
};

}  // namespace atc::tune
