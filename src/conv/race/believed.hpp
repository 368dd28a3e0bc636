// The candidates that may run in place of the default without a race, and what earlier races let
// expect of them. Explorations beside the program and predictions choose among them.
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
  // Indices in the lineup: of the candidates that this request may run and that the correctness
  // gate is not known to refuse, without the default.
  std::vector<std::size_t> open;
  std::vector<tune::Belief> beliefs;  // of the candidates in `open`
};

Believed believed(Lineup lineup, const Problem& problem, const Request& request,
                  const Experience& experience, const Choice& default_choice);

// The candidates that are expected to be faster than the default (tune/forecast.hpp), the most
// promising first, as indices in `open`.
std::vector<std::size_t> promising(const Believed& candidates);

}  // namespace atc::conv
