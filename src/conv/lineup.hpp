// The lineup of a race: who offers what for a problem.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conv/chain.hpp"
#include "conv/decision.hpp"
#include "conv/entrants.hpp"
#include "conv/options.hpp"

namespace atc::conv {

struct Lineup {
  std::vector<Candidate> candidates;  // those that race; the default's first choice first
  std::vector<Chain> chains;          // one per candidate
  std::size_t spares = 0;         // of the candidates the last ones: beyond their engine's places
  std::vector<Candidate> beyond;  // offered, but there was no place for them
  std::optional<std::size_t> default_candidate;  // what runs without tuning
  bool only_reference = false;                   // nothing else offers
  Roster roster;                                 // who was asked
  std::string reasons;                           // of those that offered nothing
  bool library_missing = false;  // one of those lacks its library, or finds it mixed
};

// What an untuned plan needs: the default engine's first offer, and more of them where listing them
// costs nothing. Empty when there is no default engine.
Lineup default_lineup(const Problem& problem, const Request& request);
// Appends the others of the default engine: for when the first cannot be built.
void add_rest(Lineup& lineup, const Problem& problem, const Request& request);

// Everybody's. Engines other than the default have places of their own, each candidate that an
// engine ranks n-th before those that another ranks later: what is likely to win comes first, and
// what has to be compiled last. The reference takes part only where no other default engine offers.
Lineup full_lineup(const Problem& problem, const Request& request);
// Those of the newcomers alone, and chains with one of them in it; no default.
Lineup newcomers_lineup(const Problem& problem, const Request& request, const Roster& newcomers);

// Appends the reference's offer to a lineup of others that all turned out not to run; false where
// it may not take part or is there already.
bool add_reference(Lineup& lineup, const Problem& problem, const Request& request);

}  // namespace atc::conv
