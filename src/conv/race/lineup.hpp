// The lineup of a race: the list of candidates for a problem. Each candidate is an offer of an
// engine, alone or behind rewrites.
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

// An entrant (an engine or a rewrite), and its answer when it was asked for offers.
struct Answer {
  std::string name, version;
  bool rewrite = false;
  // The number of offers of the engine or rewrite, also those for which the race has no place.
  std::size_t offers = 0;
  // The reason why the engine or rewrite has no offer, or no further offers. It is "" if the engine
  // or rewrite gives no reason.
  std::string why_not;
};

struct Lineup {
  // The candidates of the race. The default engine's first choice is the first candidate.
  std::vector<Candidate> candidates;
  std::vector<Chain> chains;      // the chain (rewrites and engine) of each candidate
  std::vector<Candidate> beyond;  // further offers, for which the race has no place
  // The index of the candidate that runs without tuning.
  std::optional<std::size_t> default_candidate;
  // The index of the candidate that gets the first turn after the default (favour). Empty: none.
  std::optional<std::size_t> favourite;
  bool only_reference = false;  // true if only the reference has an offer
  // The engines and rewrites that were asked for offers, except engines of which a pin bars an
  // offer.
  Roster roster;
  // The answers, first of the engines and then of the rewrites, in the order in which they were
  // asked.
  std::vector<Answer> answers;
  std::string reasons;  // the reasons why engines have no offer
  // True if the library of an engine is missing, or if parts of a library have different versions.
  bool library_missing = false;
};

// Makes the candidate of an offer. `choice` names the engine and the rewrites that are applied
// before it. `between` is the number of bytes of workspace that the rewrites need. `exactness` is
// the exactness of the rewrites.
Candidate candidate_of(const Engine& engine, Choice choice, const Offer& offer,
                       std::uint64_t between, Exactness exactness);

// The result of find_offer: the candidate that a choice names, and whether this candidate is
// deterministic. find_offer returns nothing if the engine and the rewrites of the choice do not
// make this offer within the limits.
struct Offered {
  Candidate candidate;
  bool deterministic = true;
};
std::optional<Offered> find_offer(const Chain& chain, const Choice& choice, const Problem& problem,
                                  const Limits& limits);

// Returns the index of the program's own convolution; empty if the lineup does not contain it. The
// program's own convolution is the default of the race, because the program runs it without atc.
// Another candidate must be faster to replace it.
std::optional<std::size_t> original_of(const Lineup& lineup);

// Returns the lineup of a plan without tuning: the first offer of the first default engine that has
// an offer. Further offers of this engine are included if listing them costs nothing. The lineup is
// empty if no default engine has an offer.
Lineup default_lineup(const Problem& problem, const Request& request);
// Appends candidates for the case that the first candidate cannot run: the other offers of the
// default engine, then the offers of the other default engines.
void add_rest(Lineup& lineup, const Problem& problem, const Request& request);

// Returns the lineup of a race: the offers of all engines, alone and behind rewrites. An engine
// that is not a default has a limited number of places. The first offers of all engines come before
// all second offers, and so on, because first offers are the most likely winners. Offers that have
// to be compiled come last. (A race times the candidates in the order of their expected gain. The
// order of the lineup decides only between equal gains.) The reference is included only if no other
// default engine has an offer.
Lineup full_lineup(const Problem& problem, const Request& request);
// Returns the lineup with which a recorded winner is compared: the offers of newcomers (engines and
// rewrites that were not in the recorded race), and of chains that contain a newcomer. No candidate
// of this lineup is the default.
Lineup newcomers_lineup(const Problem& problem, const Request& request, const Roster& newcomers);

// Makes the choice the favourite of the lineup of a race: it becomes the first or second candidate,
// and gets the first turn after the default. If the race had no place for the choice, it gets one.
// Does nothing if the choice is the default, or if its engine does not offer it for this problem.
// `chain` is the chain of the choice.
void favour(Lineup& lineup, const Choice& choice, const Chain& chain, const Problem& problem,
            const Request& request);

// Appends the reference's offer to a lineup of which no candidate could be built. Returns false if
// the reference may not be used, or is in the lineup already.
bool add_reference(Lineup& lineup, const Problem& problem, const Request& request);

}  // namespace atc::conv
