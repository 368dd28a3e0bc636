// The lineup of a race: the offers for a problem, and their engines.
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

// How an entrant answered the question for offers.
struct Answer {
  std::string name, version;
  bool rewrite = false;
  std::size_t offers = 0;  // those beyond its places included
  std::string why_not;     // why it offers nothing, or no more; "" where it gives no reason
};

struct Lineup {
  std::vector<Candidate> candidates;  // those that race; the default's first choice first
  std::vector<Chain> chains;          // one per candidate
  std::vector<Candidate> beyond;      // offered, but there was no place for them
  std::optional<std::size_t> default_candidate;  // the candidate without tuning
  bool only_reference = false;                   // nothing else offers
  Roster roster;  // engines and rewrites that were asked for offers and had no offer barred
  std::vector<Answer> answers;   // of engines, then of rewrites, in the order of asking
  std::string reasons;           // why engines offered nothing
  bool library_missing = false;  // an engine lacks its library, or finds its parts mixed
};

// The candidate of an offer. `choice` names the offer and the rewrites before it; the rewrites need
// `between` bytes of workspace. `exactness`: of the rewrites.
Candidate candidate_of(const Engine& engine, Choice choice, const Offer& offer,
                       std::uint64_t between, Exactness exactness);

// The offer that a choice names, and whether it is deterministic; none where its engine and
// rewrites do not make it for these limits.
struct Offered {
  Candidate candidate;
  bool deterministic = true;
};
std::optional<Offered> find_offer(const Chain& chain, const Choice& choice, const Problem& problem,
                                  const Limits& limits);

// The lineup of an untuned plan: the default engine's first offer, and further ones if listing them
// costs nothing. Empty if there is no default engine.
Lineup default_lineup(const Problem& problem, const Request& request);
// Appends the other offers of the default engine, then those of the further default engines, for
// when the first cannot run.
void add_rest(Lineup& lineup, const Problem& problem, const Request& request);

// The offers of all engines, by themselves and behind rewrites. Each engine other than the defaults
// has a number of places. The first offers of all engines come before all second ones, and so on,
// so that likely winners come first; offers that have to be compiled come last. (A race gives turns
// by what they are expected to gain, and in this order where that is equal.) The reference takes
// part only if no other default engine offers.
Lineup full_lineup(const Problem& problem, const Request& request);
// The offers of newcomers, and of chains with a newcomer in them; no default.
Lineup newcomers_lineup(const Problem& problem, const Request& request, const Roster& newcomers);

// Appends the reference's offer to a lineup of which no candidate could be built; false where the
// reference may not take part or is there already.
bool add_reference(Lineup& lineup, const Problem& problem, const Request& request);

}  // namespace atc::conv
