// The candidates of a problem that may run without a race, each with its expected speed according
// to earlier races. Predictions choose among these candidates. The program's own calls also try
// them, if the problem is tuned while the program runs (beside/layer.hpp).
#pragma once

#include <cstddef>
#include <vector>

#include "conv/choice.hpp"
#include "conv/options.hpp"
#include "conv/race/experience.hpp"
#include "conv/race/lineup.hpp"
#include "core/problem.hpp"
#include "tune/contestant.hpp"

namespace atc::conv {

struct Believed {
  Lineup lineup;
  // The candidates that this request may run, as indices in the lineup. Two kinds of candidates are
  // left out: the default, and candidates that the correctness gate is known to refuse.
  std::vector<std::size_t> open;
  std::vector<tune::Belief> beliefs;  // the expected speeds of the candidates in `open`
};

Believed believed(Lineup lineup, const Problem& problem, const Request& request,
                  const Experience& experience, const Choice& default_choice);

// Returns the candidates that are expected to be faster than the default (tune/forecast.hpp), the
// most promising first. The results are indices in `open`.
std::vector<std::size_t> promising(const Believed& candidates);

}  // namespace atc::conv
