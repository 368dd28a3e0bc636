// What is known of a problem, from the store in use or from this process, and whether it serves a
// request: who raced decides.
#pragma once

#include <memory>
#include <optional>

#include "conv/entrants.hpp"
#include "conv/policy.hpp"
#include "conv/record.hpp"
#include "store/store.hpp"

namespace atc::conv {

// A recorded decision whose winner is there for this request.
struct Match {
  Decision decision;
  Chain chain;
  std::optional<Chain> captured;  // of the choice of captured calls, where it is there, too
  Roster newcomers;  // whom the request admits and the decision was not made among; empty: a hit
};

// Whether the request asks for another race of what is known: it is provisional, and there is more
// budget now than it was measured with, or provisional decisions are to be measured anew.
bool to_be_raced_again(const Decision& decision, const Request& request);
// The decisions of a store's record that the request takes: the firm ones, and of the provisional
// ones those that it neither refuses nor, unless it is replaying, wants raced again.
Record acceptable(Record record, const Request& request, bool replaying);

// The one with the fewest newcomers; of equal ones the first of the record. Where precision is
// strict, what won with less yields to the next one that has it.
std::optional<Match> best_match(const Record& record, const Request& request,
                                const Roster& admitted);

// Whether the match decides: it has no newcomers, or nothing is measured for this request and the
// caller's default engine raced. Replaying takes what there is.
bool decides(const Match& match, const Request& request, const Entrants& entrants, bool replaying);

// The decisions of the store's entry; empty where there are none that can be read.
Record recorded(store::Store& store, const store::CanonicalKey& key);

// Loads what the decision's winner was compiled to from beside its record, if it is not at hand.
// Where it is gone, `compiled` stays empty.
void load_compiled(store::Store& store, const store::Key& key, Decision& decision);

// Makes the decision ready to run, for captured calls where the request's stream is captured: what
// cannot be built for those yields to the eager choice. None where that cannot be built for this
// caller. `store` (or null) and `key` are those that the decision was recorded in.
std::optional<Decided> prepare(Match match, const Problem& problem, const Request& request,
                               store::Store* store, const store::Key& key);

// The record of the nearest batch size within a factor of two, where only that is unknown.
std::optional<Decided> from_nearest_batch(store::Store& store, const store::Key& key,
                                          const Problem& problem, const Request& request,
                                          const Entrants& entrants);

// Into the record of the store, beside the decisions of other rosters. The decision then says
// whether it is stored, or why not. A provisional one is not where firm ones are required.
void write_down(store::Store& store, const store::Key& key, const Request& request,
                Decision& decision);

}  // namespace atc::conv
