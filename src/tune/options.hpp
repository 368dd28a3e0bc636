// The options of a race: its technique, its budget, its limits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace atc::tune {

// Values equal `atc_technique` in include/atc/settings.h. The first three are as cuDNN's frontend
// defines them (docs/tuning.md); `interleaved` is the default.
enum class Technique : std::int32_t {
  once = 1,
  median_of_three = 2,
  till_stable = 3,
  interleaved = 4,
  sustained = 5,
};

struct Options {
  Technique technique = Technique::interleaved;
  double budget_seconds = 2.0;  // prepare, check and timing together; infinity = none
  double usual_budget = 0;      // seconds; with less, a race that leaves candidates out is unstable
  double spent_seconds = 0;     // of the budget, before the race
  std::size_t max_candidates = 0;  // the default and the first of the others; 0 = all
  // Calls in which a decision is expected to be used. A contestant gets a turn only if its expected
  // gain in that many calls exceeds the turn's cost (prospects.hpp). Infinity: cost does not
  // matter.
  double expected_calls = std::numeric_limits<double>::infinity();
  double least_seconds = 0;  // no contestant is faster: the bound of the roofline; 0: not known
  double tie_margin = 0.01;  // relative
  std::uint64_t seed = 0;
  std::size_t operand_sets = 1;
  std::size_t default_index = 0;  // runs without tuning: first, always raced, wins ties
};

}  // namespace atc::tune
