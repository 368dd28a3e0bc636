#include "conv/race/believed.hpp"

#include <string>
#include <utility>

#include "conv/race/verdicts.hpp"
#include "tune/forecast.hpp"

namespace atc::conv {

Believed believed(Lineup lineup, const Problem& problem, const Request& request,
                  const Experience& experience, const Choice& default_choice) {
  Believed found;
  const std::string layer = layer_class(problem, request);
  for (std::size_t i = 0; i < lineup.candidates.size(); ++i) {
    const Candidate& candidate = lineup.candidates[i];
    if (candidate.choice == default_choice) continue;
    if (candidate.returns_output && !request.may_return_output(candidate.choice.engine)) continue;
    if (!known_refusal(candidate.choice, problem, request).empty()) continue;
    found.open.push_back(i);
    found.beliefs.push_back(experience.belief(candidate, layer));
    if (!candidate.compiles) found.beliefs.back().compiling = 0;
  }
  found.lineup = std::move(lineup);
  return found;
}

std::vector<std::size_t> promising(const Believed& candidates) {
  return tune::expected_faster(candidates.beliefs);
}

}  // namespace atc::conv
