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

// An entrant (an engine or rewrite) and its answer to the question for offers.
struct Answer {
  std::string name, version;
  bool rewrite = false;
  std::size_t offers = 0;  // those beyond its places included
  // The reason why it has no offer, or no further ones; "" if it gives none.
  std::string why_not;
};

struct Lineup {
  std::vector<Candidate> candidates;  // the candidates of the race; the default engine's first
                                      // choice is the first of them
  std::vector<Chain> chains;          // one per candidate
  std::vector<Candidate> beyond;      // offers for which the race has no place
  std::optional<std::size_t> default_candidate;  // the candidate without tuning
  bool only_reference = false;                   // nothing else offers
  Roster roster;  // engines and rewrites that were asked for offers and had no offer barred
  std::vector<Answer> answers;   // answers of the engines and then of the rewrites, in the order in
                                 // which they were asked
  std::string reasons;           // why engines offered nothing
  bool library_missing = false;  // true if the library of an engine is missing, or if its parts
                                 // have different versions
};

// Makes the candidate of an offer. `choice` has the names of the offer and of the rewrites before
// it. The rewrites need `between` bytes of workspace. `exactness` is that of the rewrites.
Candidate candidate_of(const Engine& engine, Choice choice, const Offer& offer,
                       std::uint64_t between, Exactness exactness);

// The offer that a choice names, and whether it is deterministic. Empty if the engine and the
// rewrites of the choice do not make this offer within these limits.
struct Offered {
  Candidate candidate;
  bool deterministic = true;
};
std::optional<Offered> find_offer(const Chain& chain, const Choice& choice, const Problem& problem,
                                  const Limits& limits);

// The index of the program's own convolution, if it takes part. It is then the default of the race,
// because it runs without atc: nothing replaces it unless it is faster.
std::optional<std::size_t> original_of(const Lineup& lineup);

// The lineup of an untuned plan: the default engine's first offer. Further offers are in it if it
// costs nothing to list them. Empty if there is no default engine.
Lineup default_lineup(const Problem& problem, const Request& request);
// Appends candidates for the case that the first one cannot run: the other offers of the default
// engine, then the offers of the further default engines.
void add_rest(Lineup& lineup, const Problem& problem, const Request& request);

// The offers of all engines, alone and behind rewrites. Each engine other than the defaults has a
// number of places. The first offers of all engines come before all second offers, and so on, so
// that likely winners come first. Offers that have to be compiled come last. (A race gives turns by
// their expected gain, and in this order only if the gains are equal.) The reference takes part
// only if no other default engine has an offer.
Lineup full_lineup(const Problem& problem, const Request& request);
// The offers of newcomers (engines and rewrites that were not in the recorded race), and of chains
// that contain a newcomer. There is no default in this lineup.
Lineup newcomers_lineup(const Problem& problem, const Request& request, const Roster& newcomers);

// Appends the reference's offer to a lineup of which no candidate could be built. Returns false if
// the reference may not take part, or is in the lineup already.
bool add_reference(Lineup& lineup, const Problem& problem, const Request& request);

}  // namespace atc::conv
